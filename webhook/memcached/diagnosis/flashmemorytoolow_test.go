package diagnosis

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestFlashMemoryTooLow(t *testing.T) {
	const message = "92160 MiB of flash with items of 4096 bytes on average (spec.flash.averageItemSize) need 3616 MiB of memory for their keys, but the memory for items is only 3615 MiB. Increase the memory, correct spec.flash.averageItemSize, or decrease spec.flash.size."
	cases := []struct {
		reason string
		change func(*v1alpha1.MemcachedSpec)
		want   string
	}{
		{"the memory follows from the flash", func(*v1alpha1.MemcachedSpec) {}, ""},
		{"the memory is exactly enough", func(s *v1alpha1.MemcachedSpec) { s.Cache.Memory = sample.Quantity("3616Mi") }, ""},
		{"the memory is too small", func(s *v1alpha1.MemcachedSpec) { s.Cache.Memory = sample.Quantity("3615Mi") }, "FlashMemoryTooLow"},
		{"the limit is too low", func(s *v1alpha1.MemcachedSpec) { s.Resources = sample.Limits("4Gi") }, "FlashMemoryTooLow"},
		{"the items are larger than the default", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Flash.AverageItemSize = sample.Quantity("64Mi"), sample.Quantity("1Mi")
		}, ""},
		{"no item on flash is smaller than the minimum", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Flash.MinItemSize = sample.Quantity("64Mi"), sample.Quantity("512Ki")
		}, ""},
		{"a cache without flash", func(s *v1alpha1.MemcachedSpec) { s.Flash, s.Cache.Memory = nil, sample.Quantity("16Mi") }, ""},
	}
	for _, test := range cases {
		spec := sample.New(2).Spec
		spec.Flash = sample.Flash("100Gi")
		test.change(&spec)
		got := conditions.Risk{}
		if risk := flashMemoryTooLow(&Input{Memcached: &v1alpha1.Memcached{Spec: spec}, Memory: memory.Of(&spec)}).Risk; risk != nil {
			got = *risk
		}
		if got.Reason.String() != test.want || test.reason == "the memory is too small" && got.Message != message {
			t.Errorf("%s: the risk is %q: %s, want %q", test.reason, got.Reason, got.Message, test.want)
		}
	}
}
