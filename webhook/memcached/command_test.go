package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestCommand(t *testing.T) {
	cases := []struct {
		reason string
		cache  v1alpha1.Cache
		want   []string
	}{
		{"the defaults", v1alpha1.Cache{}, []string{"memcached", "-m", "64", "-v", "-c", "1024", "-t", "4", "-I", "1m", "-p", "11211", "-U", "0"}},
		{"no log", v1alpha1.Cache{Verbosity: new(int32(0))}, []string{"memcached", "-m", "64", "-c", "1024", "-t", "4", "-I", "1m", "-p", "11211", "-U", "0"}},
		{"everything", v1alpha1.Cache{
			Verbosity: new(int32(2)), MaxConnections: new(int64(9)), Threads: new(int32(8)), MaxItemSize: "512k",
			DisableEvictions: true, ExtraArgs: []string{"-o", "slab_automove=1"},
		}, []string{"memcached", "-m", "64", "-vv", "-c", "9", "-t", "8", "-I", "512k", "-p", "11211", "-U", "0", "-M", "-o", "slab_automove=1"}},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, command(&v1alpha1.MemcachedSpec{Cache: test.cache}, memorySize{items: 64})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestItemSizeKiB(t *testing.T) {
	cases := []struct {
		reason, size string
		want         int64
	}{
		{"kibibytes", "512k", 512},
		{"mebibytes", "8m", 8192},
		{"no unit is bytes to memcached, and far too few", "512", 0},
		{"no number", "m", 0},
		{"nothing", "", 0},
		{"another unit", "1g", 0},
		{"a sign is no digit", "+1m", 0},
		{"less than nothing", "-1m", 0},
		{"a number past counting", "99999999999m", 0},
	}
	for _, test := range cases {
		if got := itemSizeKiB(test.size); got != test.want {
			t.Errorf("%s: %q is %d KiB, want %d", test.reason, test.size, got, test.want)
		}
	}
}
