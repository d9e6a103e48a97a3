package memcached

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateFlash(t *testing.T) {
	sized := func(size string, page int32) func(*v1alpha1.MemcachedSpec) {
		return func(s *v1alpha1.MemcachedSpec) {
			s.Flash.Size, s.Flash.PageSizeMB = new(resource.MustParse(size)), &page
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
		{"the smallest volume with its largest pages", sized("1Gi", 64), ""},
		{"too few pages", sized("1Gi", 80), `spec.flash.size: Invalid value: "1Gi": must be from 16 to 65536 pages of pageSizeMB, which is 80`},
		{"the largest volume with default pages", sized("4Ti", 64), ""},
		{"too many pages", sized("4398046511105", 64), "must be from 16 to 65536 pages"},
		{"a larger volume with larger pages", sized("64Ti", 1024), ""},
		{"a small volume", sized("1023Mi", 32), "spec.flash.size: Invalid value: \"1023Mi\": must be at least 1Gi"},
		{"no size", func(s *v1alpha1.MemcachedSpec) { s.Flash.Size = nil }, "spec.flash.size: Required"},
		{"an odd page size", sized("1Gi", 63), "spec.flash.pageSizeMB: Invalid value: 63: must be an even number"},
		{"pages of several buffers", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBufferMB = new(int32(32)) }, ""},
		{"pages that buffers do not fill", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBufferMB = new(int32(24)) }, "spec.flash.pageSizeMB: Invalid value: 64: must be a multiple of writeBufferMB, which is 24"},
		{"a negative buffer", func(s *v1alpha1.MemcachedSpec) { s.Flash.WriteBufferMB = new(int32(-2)) }, "spec.flash.writeBufferMB: Invalid"},
		{"items as large as a buffer", func(s *v1alpha1.MemcachedSpec) { s.Cache.MaxItemSize = "16m" }, ""},
		{"items larger than a buffer", func(s *v1alpha1.MemcachedSpec) { s.Cache.MaxItemSize = "16896k" }, `spec.cache.maxItemSize: Invalid value: "16896k": must not be greater than spec.flash.writeBufferMB, which is 16`},
		{"no evictions", func(s *v1alpha1.MemcachedSpec) { s.Cache.DisableEvictions = true }, "spec.flash: Forbidden: cannot be combined with spec.cache.disableEvictions"},
		{"no LRU maintainer", func(s *v1alpha1.MemcachedSpec) { s.Cache.ExtraArgs = []string{"-o", "hashpower=20,no_lru_maintainer"} }, "spec.cache.extraArgs[1]: Invalid"},
		{"more options of the flash tier", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.ExtraArgs = []string{"-o", "ext_recache_rate=0,slab_automove_freeratio=0.1"}
		}, ""},
		{"a negative average", func(s *v1alpha1.MemcachedSpec) { s.Flash.AverageItemBytes = new(int64(-1)) }, "spec.flash.averageItemBytes: Invalid"},
		{"a minimum below the size of a key", func(s *v1alpha1.MemcachedSpec) { s.Flash.MinItemBytes = new(int64(100)) }, "spec.flash.minItemBytes: Invalid"},
		{"no thread", func(s *v1alpha1.MemcachedSpec) { s.Flash.Threads = new(int32(0)) }, "spec.flash.threads: Invalid"},
		{"proxies", func(s *v1alpha1.MemcachedSpec) {
			s.Workload, s.Proxy = v1alpha1.StatefulSetWorkload, &v1alpha1.Proxy{Replicas: new(int32(2))}
		}, ""},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, func(s *v1alpha1.MemcachedSpec) { s.Flash = flashOf("1Gi"); test.change(s) }, test.sentence)
	}
}
