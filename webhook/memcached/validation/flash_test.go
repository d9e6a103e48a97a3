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
		{"an invalid StorageClass", func(s *v1alpha1.MemcachedSpec) { s.Flash.StorageClassName = new("Local") }, "spec.flash.storageClassName: Invalid"},
		{"the smallest volume with its largest pages", sized("1Gi", "64Mi"), ""},
		{"too few pages", sized("1Gi", "80Mi"), `spec.flash.size: Invalid value: "1Gi": must be from 16 to 65536 times pageSize, which is 80Mi`},
		{"the largest volume with default pages", sized("4Ti", "64Mi"), ""},
		{"too many pages", sized("4398046511105", "64Mi"), "must be from 16 to 65536 times pageSize"},
		{"a larger volume with larger pages", sized("64Ti", "1024Mi"), ""},
		{"a small volume", sized("1023Mi", "32Mi"), "spec.flash.size: Invalid value: \"1023Mi\": must be a quantity of at least 1Gi"},
		{"no size", func(s *v1alpha1.MemcachedSpec) { s.Flash.Size = nil }, "spec.flash.size: Required"},
		{"an odd page size", sized("1Gi", "63Mi"), `spec.flash.pageSize: Invalid value: "63Mi": must be a quantity that is a multiple of 2Mi from 2Mi to 1Gi`},
		{"pages of several buffers", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBuffer = sample.Quantity("32Mi") }, ""},
		{"pages that buffers do not fill", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBuffer = sample.Quantity("24Mi") }, `spec.flash.pageSize: Invalid value: "64Mi": must be a multiple of writeBuffer, which is 24Mi`},
		{"a negative buffer", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBuffer = sample.Quantity("-2Mi") }, "spec.flash.writeBuffer: Invalid"},
		{"items as large as a buffer", func(s *v1alpha1.MemcachedSpec) { s.Cache.MaxItemSize = sample.Quantity("16Mi") }, ""},
		{"items larger than a buffer", func(s *v1alpha1.MemcachedSpec) { s.Cache.MaxItemSize = sample.Quantity("16896Ki") }, `spec.cache.maxItemSize: Invalid value: "16896Ki": must not be greater than spec.flash.writeBuffer, which is 16Mi`},
		{"more options of the flash tier", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.ExtraArgs = []string{"-o", "ext_recache_rate=0,slab_automove_freeratio=0.1"}
		}, ""},
		{"a negative average", func(s *v1alpha1.MemcachedSpec) { s.Flash.AverageItemSize = sample.Quantity("-1") }, "spec.flash.averageItemSize: Invalid"},
		{"a minimum below the size of a key", func(s *v1alpha1.MemcachedSpec) { s.Flash.MinItemSize = sample.Quantity("100") }, "spec.flash.minItemSize: Invalid"},
		{"no thread", func(s *v1alpha1.MemcachedSpec) { s.Flash.Threads = new(int32(0)) }, "spec.flash.threads: Invalid"},
		{"proxies", func(s *v1alpha1.MemcachedSpec) {
			s.Workload, s.Proxy = v1alpha1.StatefulSetWorkload, &v1alpha1.Proxy{Replicas: new(int32(2))}
		}, ""},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, func(s *v1alpha1.MemcachedSpec) { s.Flash = sample.Flash("1Gi"); test.change(s) }, test.sentence)
	}
}
