package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestMemorySize(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   [3]int64 // items, limit, and needed limit
	}{
		{"neither is set", v1alpha1.MemcachedSpec{}, [3]int64{64, 123, 123}},
		{"64 MiB of items need 8 + 40 + 4 + 70.4", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity("64Mi")}}, [3]int64{64, 123, 123}},
		{"256 MiB of items", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity("256Mi")}}, [3]int64{256, 334, 334}},
		{"1 GiB of items", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity("1024Mi")}}, [3]int64{1024, 1179, 1179}},
		{"a part of a MiB is not used", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity("1G")}}, [3]int64{953, 1101, 1101}},
		{"items that fit under 128Mi", v1alpha1.MemcachedSpec{Resources: sample.Limits("128Mi")}, [3]int64{69, 128, 128}},
		{"items that fit under 1Gi", v1alpha1.MemcachedSpec{Resources: sample.Limits("1Gi")}, [3]int64{883, 1024, 1024}},
		{"a limit in decimal bytes is rounded down", v1alpha1.MemcachedSpec{Resources: sample.Limits("1G")}, [3]int64{819, 953, 953}},
		{"the memory for items has a maximum, whatever the limit is", v1alpha1.MemcachedSpec{Resources: sample.Limits("8Ei")}, [3]int64{1048576, 8796093022207, 1153486}},
		{"more connections leave less for items", v1alpha1.MemcachedSpec{Resources: sample.Limits("1Gi"), Cache: v1alpha1.Cache{MaxConnections: new(int64(65536))}}, [3]int64{654, 1024, 1024}},
		{"overheadPercent increases the limit", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: sample.Quantity("100Mi"), OverheadPercent: new(int64(40))}}, [3]int64{100, 192, 192}},
		{"a growth factor adds slab classes", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-f", "1.08"}}}, [3]int64{64, 147, 147}},
		{"a growth factor as a long flag adds slab classes", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"--slab-growth-factor=1.08"}}}, [3]int64{64, 147, 147}},
		{"a list of slab sizes adds slab classes", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "no_modern,slab_sizes=100-200"}}}, [3]int64{64, 147, 147}},
		{"a hash table of 2^24 buckets has 128 MiB from the start", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "modern,hashpower=24"}}}, [3]int64{64, 251, 251}},
		{"a hash table leaves less for items", v1alpha1.MemcachedSpec{Resources: sample.Limits("1Gi"), Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "hashpower=24"}}}, [3]int64{767, 1024, 1024}},
		{"memcached does not start with a larger hash table, whatever the limit", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "hashpower=255"}}}, [3]int64{64, 32891, 32891}},
		{"other arguments change nothing", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-b", "2048"}}}, [3]int64{64, 123, 123}},
		{"TLS needs 20 KiB for each of 1,024 connections", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, [3]int64{64, 139, 139}},
		{"client certificates need 9 KiB more", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequest}}, [3]int64{64, 148, 148}},
		{"SASL needs 4 KiB more", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequire}, Auth: &v1alpha1.Auth{}}, [3]int64{64, 152, 152}},
		{"ASCII passwords need no memory", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, [3]int64{64, 123, 123}},
		{"flash adds 35 MiB of keys, and seven buffers of 16 MiB", v1alpha1.MemcachedSpec{Flash: sample.Flash("1Gi")}, [3]int64{99, 274, 274}},
		{"1 TiB of flash with items of 4 KiB", v1alpha1.MemcachedSpec{Flash: sample.Flash("1Ti")}, [3]int64{36927, 40788, 40788}},
		{"1 TiB of flash with items of 1 MiB", v1alpha1.MemcachedSpec{Flash: &v1alpha1.Flash{Size: sample.Quantity("1Ti"), AverageItemSize: sample.Quantity("1Mi")}}, [3]int64{208, 397, 397}},
		{"flash under a limit", v1alpha1.MemcachedSpec{Flash: sample.Flash("1Gi"), Resources: sample.Limits("1Gi")}, [3]int64{780, 1024, 1023}},
		{"both are set, and the limit is enough", v1alpha1.MemcachedSpec{Resources: sample.Limits("1Gi"), Cache: v1alpha1.Cache{Memory: sample.Quantity("64Mi")}}, [3]int64{64, 1024, 123}},
		{"both are set, and the limit is too low", v1alpha1.MemcachedSpec{Resources: sample.Limits("100Mi"), Cache: v1alpha1.Cache{Memory: sample.Quantity("64Mi")}}, [3]int64{64, 100, 123}},
	}
	for _, test := range cases {
		got := Of(sample.Defaulted(test.spec))
		if diff := cmp.Diff(test.want, [3]int64{got.ItemMiB, got.LimitMiB, got.NeededMiB}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if test.spec.Cache.Memory == nil && got.LimitTooLow() {
			t.Errorf("%s: the derived memory for items is too large for the limit", test.reason)
		}
	}
}

// TestItemsForLimit checks that itemsFor returns the maximum: its items need at most the limit, and one more MiB needs more.
func TestItemsForLimit(t *testing.T) {
	for limit := int64(70); limit < 5000; limit++ {
		for _, percent := range []int64{0, 10, 33, 400} {
			items := itemsFor(limit, 52, percent)
			if needed := LimitFor(items, 52, percent); needed > limit {
				t.Fatalf("%d MiB of items for a limit of %d MiB need %d MiB", items, limit, needed)
			}
			if needed := LimitFor(items+1, 52, percent); needed <= limit {
				t.Fatalf("%d MiB of items are not the maximum for a limit of %d MiB", items, limit)
			}
		}
	}
}

func TestConnectionsMiB(t *testing.T) {
	cases := []struct {
		reason      string
		connections int64
		each, want  int64
	}{
		{"the default number of connections", 1024, 4, 4},
		{"one connection is rounded up", 1, 4, 1},
		{"connections with TLS use more memory", 1024, 20, 20},
		{"many connections", 100000, 4, 391},
	}
	for _, test := range cases {
		if got := connectionsMiB(test.connections, test.each); got != test.want {
			t.Errorf("%s: %d MiB, want %d", test.reason, got, test.want)
		}
	}
}

// TestProxyLimit checks that the limit of a proxy grows with its connections, and that the default stays.
func TestProxyLimit(t *testing.T) {
	cases := []struct {
		connections int64
		tls         *v1alpha1.TLS
		want        int64
	}{
		{1, nil, 209}, {1024, nil, 256}, {10_000, nil, 677}, {100_000, nil, 4896},
		{1024, &v1alpha1.TLS{}, 320}, {10_000, &v1alpha1.TLS{}, 1302},
	}
	for _, test := range cases {
		spec := v1alpha1.MemcachedSpec{TLS: test.tls, Cache: v1alpha1.Cache{MaxConnections: &test.connections}}
		if got := ProxyLimitMiB(&spec); got != test.want {
			t.Errorf("%d connections, with TLS %t: %d MiB, want %d", test.connections, test.tls != nil, got, test.want)
		}
	}
}
