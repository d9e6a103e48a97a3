package validation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateMemory(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"the limit is too low for the items: the cache runs, and its status reports the problem", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Resources = sample.Quantity("64Mi"), sample.Limits("80Mi")
		}, ""},
		{"the limit is exactly enough for the minimum of items", func(s *v1alpha1.MemcachedSpec) { s.Resources = sample.Limits("70Mi") }, ""},
		{"the limit is 1 MiB too low for the minimum of items", func(s *v1alpha1.MemcachedSpec) { s.Resources = sample.Limits("69Mi") }, `spec.resources.limits[memory]: Invalid value: "69Mi": must be at least 70Mi: 16 MiB for items`},
		{"the memory for items must be twice the maximum size of an item", func(s *v1alpha1.MemcachedSpec) {
			s.Resources, s.Cache.MaxItemSize = sample.Limits("128Mi"), sample.Quantity("64Mi")
		}, "must be at least 193Mi: 128 MiB for items"},
		{"the memory for items is exactly twice the maximum size of an item", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Cache.MaxItemSize = sample.Quantity("32Mi"), sample.Quantity("16Mi")
		}, ""},
		{"the default memory for items is less than twice the maximum size of an item", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.MaxItemSize = sample.Quantity("33Mi")
		}, `spec.cache.maxItemSize: Invalid value: "33Mi": must be at most half of spec.cache.memory, which is 64Mi by default`},
		{"the memory for items by default is more with flash, for the keys", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.MaxItemSize, s.Flash = sample.Quantity("65Mi"), sample.Flash("1Gi")
		}, `spec.cache.maxItemSize: Invalid value: "65Mi": must be at most half of spec.cache.memory, which is 99Mi by default`},
		{"the request is equal to the derived limit", func(s *v1alpha1.MemcachedSpec) {
			s.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("123Mi")}
		}, ""},
		{"the request is greater than the derived limit", func(s *v1alpha1.MemcachedSpec) {
			s.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		}, `spec.resources.requests[memory]: Invalid value: "1Gi": must not be greater than 123Mi`},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, test.change, test.sentence)
	}
}

func TestValidateCacheQuantities(t *testing.T) {
	cases := []struct {
		reason                string
		memory, maxItemSize   string
		memoryError, maxError bool
	}{
		{"the smallest memory", "16Mi", "1Mi", false, false},
		{"less than the smallest memory", "16777215", "1Mi", true, false},
		{"a part of a MiB is not used", "16.5Mi", "8Mi", false, false},
		{"the largest memory", "1Ti", "1Gi", false, false},
		{"more than the largest memory", "1025Gi", "1Mi", true, false},
		{"more than 64 bits", "1e30", "1e30", true, true},
		{"a negative quantity", "-64Mi", "-1Mi", true, true},
		{"thousandths, as memcached's own 8m would be", "64Mi", "8m", false, true},
		{"the smallest item size", "64Mi", "512Ki", false, false},
		{"less than the smallest item size by half a byte", "64Mi", "524287.5", false, true},
		{"more than the largest item size", "1Ti", "1025Mi", false, true},
	}
	for _, test := range cases {
		spec := sample.Defaulted(v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity(test.memory), MaxItemSize: sample.Quantity(test.maxItemSize)}})
		found := map[string]bool{}
		for _, err := range validateCache(&spec.Cache, field.NewPath("cache")) {
			found[err.Field] = true
		}
		if found["cache.memory"] != test.memoryError || found["cache.maxItemSize"] != test.maxError {
			t.Errorf("%s: memory is refused: %t, want %t; maxItemSize is refused: %t, want %t", test.reason, found["cache.memory"], test.memoryError, found["cache.maxItemSize"], test.maxError)
		}
	}
}
