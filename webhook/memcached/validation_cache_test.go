package memcached

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateMemory(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"the limit is too low for the items: the cache runs, and its status reports the problem", func(s *v1alpha1.MemcachedSpec) { s.Cache.MemoryMB, s.Resources = new(int64(64)), limitedTo("80Mi") }, ""},
		{"the limit is exactly enough for the minimum of items", func(s *v1alpha1.MemcachedSpec) { s.Resources = limitedTo("70Mi") }, ""},
		{"the limit is 1 MiB too low for the minimum of items", func(s *v1alpha1.MemcachedSpec) { s.Resources = limitedTo("69Mi") }, `spec.resources.limits[memory]: Invalid value: "69Mi": must be at least 70Mi: 16 MiB of items`},
		{"the memory for items must be twice the maximum size of an item", func(s *v1alpha1.MemcachedSpec) { s.Resources, s.Cache.MaxItemSize = limitedTo("128Mi"), "64m" }, "must be at least 193Mi: 128 MiB of items"},
		{"the request is greater than the derived limit", func(s *v1alpha1.MemcachedSpec) {
			s.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		}, `spec.resources.requests[memory]: Invalid value: "1Gi": must not be greater than the limit of 123Mi`},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, test.change, test.sentence)
	}
}

func TestItemSizeKiB(t *testing.T) {
	cases := []struct {
		reason, size string
		want         int64
	}{
		{"kibibytes", "512k", 512},
		{"mebibytes", "8m", 8192},
		{"memcached parses a number without a unit as bytes", "512", 0},
		{"the number is missing", "m", 0},
		{"the size is empty", "", 0},
		{"the unit is unknown", "1g", 0},
		{"the number has a sign", "+1m", 0},
		{"the number is negative", "-1m", 0},
		{"the number overflows", "99999999999m", 0},
	}
	for _, test := range cases {
		if got := itemSizeKiB(test.size); got != test.want {
			t.Errorf("%s: %q is %d KiB, want %d", test.reason, test.size, got, test.want)
		}
	}
}
