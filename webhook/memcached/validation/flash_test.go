package validation

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateFlash(t *testing.T) {
	sized := func(size, page string) func(*v1alpha1.MemcachedSpec) {
		return func(s *v1alpha1.MemcachedSpec) {
			s.Flash.Size, s.Flash.PageSize = sample.Quantity(size), sample.Quantity(page)
		}
	}
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"only a size", func(*v1alpha1.MemcachedSpec) {}, ""},
		{"no StorageClass, for volumes that were created beforehand", func(s *v1alpha1.MemcachedSpec) { s.Flash.StorageClassName = new("") }, ""},
		{"the smallest volume with its largest pages", sized("1Gi", "64Mi"), ""},
		{"the largest volume", sized("64Ti", "1024Mi"), ""},
		{"a larger volume", sized("65Ti", "1024Mi"), `spec.flash.size: Invalid value: "65Ti": must be a quantity from 1Gi to 64Ti`},
		{"a small volume", sized("1023Mi", "32Mi"), "spec.flash.size: Invalid value: \"1023Mi\": must be a quantity from 1Gi to 64Ti"},
		{"no size", func(s *v1alpha1.MemcachedSpec) { s.Flash.Size = nil }, "spec.flash.size: Required"},
		{"no pages", sized("1Gi", "0"), "spec.flash.pageSize: Invalid"},
		{"pages above the maximum", sized("64Ti", "1025Mi"), "spec.flash.pageSize: Invalid"},
		{"pages of several buffers", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBuffer = sample.Quantity("32Mi") }, ""},
		{"a negative buffer", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBuffer = sample.Quantity("-2Mi") }, "spec.flash.writeBuffer: Invalid"},
		{"items as large as a buffer", func(s *v1alpha1.MemcachedSpec) { s.Cache.MaxItemSize = sample.Quantity("16Mi") }, ""},
		{"more options of the flash tier", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.ExtraArgs = []string{"-o", "ext_recache_rate=0,slab_automove_freeratio=0.1"}
		}, ""},
		{"a negative average", func(s *v1alpha1.MemcachedSpec) { s.Flash.AverageItemSize = sample.Quantity("-1") }, "spec.flash.averageItemSize: Invalid"},
		{"a minimum below the size of a key", func(s *v1alpha1.MemcachedSpec) { s.Flash.MinItemSize = sample.Quantity("100") }, "spec.flash.minItemSize: Invalid"},
		{"proxies", func(s *v1alpha1.MemcachedSpec) {
			s.Workload, s.Proxy = v1alpha1.StatefulSetWorkload, &v1alpha1.Proxy{Replicas: new(int32(2))}
		}, ""},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, func(s *v1alpha1.MemcachedSpec) { s.Flash = sample.Flash("1Gi"); test.change(s) }, test.sentence)
	}
}
