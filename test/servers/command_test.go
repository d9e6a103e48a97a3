//go:build servers

package servers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func limitedTo(limit string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}}
}

// TestSettings checks that memcached starts with the command lines of the hook, listens on the declared port, and has the
// settings of spec.
func TestSettings(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   map[string]string
	}{
		{"only a size", v1alpha1.MemcachedSpec{}, map[string]string{
			"maxbytes": "67108864", "maxconns": "1024", "num_threads": "4", "item_size_max": "1048576",
			"evictions": "on", "verbosity": "1", "udpport": "0",
		}},
		{"the smallest cache", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: new(resource.MustParse("16Mi")), MaxItemSize: new(resource.MustParse("8Mi")), MaxConnections: new(int64(64)), Threads: new(int32(4))}},
			map[string]string{"maxbytes": "16777216", "item_size_max": "8388608", "maxconns": "64", "num_threads": "4"}},
		{"memory derived from a limit", v1alpha1.MemcachedSpec{Resources: limitedTo("1Gi")}, map[string]string{"maxbytes": "925892608"}},
		{"memory derived from the lowest limit", v1alpha1.MemcachedSpec{Resources: limitedTo("70Mi")}, map[string]string{"maxbytes": "16777216"}},
		{"the smallest maxItemSize", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxItemSize: new(resource.MustParse("512Ki"))}}, map[string]string{"item_size_max": "524288"}},
		{"an odd multiple of the smallest maxItemSize", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxItemSize: new(resource.MustParse("1536Ki"))}}, map[string]string{"item_size_max": "1572864"}},
		{"a maxItemSize of half of the memory", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxItemSize: new(resource.MustParse("32Mi"))}}, map[string]string{"item_size_max": "33554432"}},
		{"the largest maxItemSize", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxItemSize: new(resource.MustParse("1024Mi")), Memory: new(resource.MustParse("2048Mi"))}}, map[string]string{"item_size_max": "1073741824"}},
		{"the fewest connections with 64 threads", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MaxConnections: new(int64(1024)), Threads: new(int32(64))}},
			map[string]string{"maxconns": "1024", "num_threads": "64"}},
		{"no evictions", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{DisableEvictions: true}}, map[string]string{"evictions": "off"}},
		{"no log", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Verbosity: new(int32(0))}}, map[string]string{"verbosity": "0"}},
		{"the highest verbosity", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Verbosity: new(int32(2))}}, map[string]string{"verbosity": "2"}},
		{"extra arguments", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "hashpower=20,idle_timeout=60", "--disable-flush-all", "-f", "1.5"}}},
			map[string]string{"idle_timeout": "60", "flush_enabled": "no", "growth_factor": "1.50"}},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.Size = new(int32(1))
			settings := start(t, container(t, test.spec), "").stats(t, "stats settings")
			for setting, want := range test.want {
				if got := settings[setting]; got != want {
					t.Errorf("%s is %q, want %q", setting, got, want)
				}
			}
		})
	}
}

// TestSamples checks that memcached starts with the specs of the samples and their Secrets.
func TestSamples(t *testing.T) {
	for file, spec := range samples(t) {
		t.Run(file, func(t *testing.T) {
			s, _, _ := startSecure(t, spec, ca.New())
			if loopback := s.ports[loopbackPort]; loopback != "" {
				s.address = loopback
			}
			settings := s.stats(t, "stats settings")
			if settings["maxbytes"] == "" {
				t.Errorf("no settings: %v", settings)
			}
		})
	}
}
