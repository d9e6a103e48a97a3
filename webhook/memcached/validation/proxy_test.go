package validation

import (
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateProxy(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.Memcached)
		sentence string
	}{
		{"a valid proxy", func(*v1alpha1.Memcached) {}, ""},
		{"no warm-up", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Warmup.Enabled = new(false) }, ""},
		{"a Deployment has no stable names", func(m *v1alpha1.Memcached) { m.Spec.Workload = v1alpha1.DeploymentWorkload }, "spec.proxy: Forbidden: requires spec.workload StatefulSet"},
		{"TLS of the proxies", func(m *v1alpha1.Memcached) { m.Spec.TLS = &v1alpha1.TLS{SecretName: "tls"} }, ""},
		{"passwords", func(m *v1alpha1.Memcached) { m.Spec.Auth = &v1alpha1.Auth{SecretName: "users"} }, "spec.proxy: Forbidden: cannot be combined with spec.auth, because memcached exits if a proxy has passwords. Use client certificates instead"},
		{"full servers have no room for a second copy", func(m *v1alpha1.Memcached) { m.Spec.Cache.DisableEvictions = true }, "spec.proxy: Forbidden: cannot be combined with spec.cache.disableEvictions"},
		{"items move by CAS uniques", func(m *v1alpha1.Memcached) { m.Spec.Cache.ExtraArgs = []string{"-F", "-C"} }, "spec.proxy: Forbidden: cannot be combined with -C, -X"},
		{"the Job lists items", func(m *v1alpha1.Memcached) { m.Spec.Cache.ExtraArgs = []string{"-X"} }, "spec.proxy: Forbidden: cannot be combined with -C, -X"},
		{"the Job lists items, and the long flag", func(m *v1alpha1.Memcached) { m.Spec.Cache.ExtraArgs = []string{"--disable-dumping"} }, "spec.proxy: Forbidden: cannot be combined with -C, -X"},
		{"an option among others", func(m *v1alpha1.Memcached) { m.Spec.Cache.ExtraArgs = []string{"-o", "hashpower=20,no_lru_crawler"} }, "spec.proxy: Forbidden: cannot be combined with -C, -X"},
		{"no_modern has no LRU crawler", func(m *v1alpha1.Memcached) { m.Spec.Cache.ExtraArgs = []string{"-o", "no_modern"} }, "spec.proxy: Forbidden: cannot be combined with -C, -X"},
		{"other flags", func(m *v1alpha1.Memcached) {
			m.Spec.Cache.ExtraArgs = []string{"--disable-flush-all", "-o", "lru_crawler_sleep=100"}
		}, ""},
		{"two proxies by default", func(m *v1alpha1.Memcached) { m.Spec.Workload, m.Spec.Proxy = "", &v1alpha1.Proxy{} }, ""},
		{"0 replicas", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Replicas = new(int32(0)) }, "spec.proxy.replicas: Invalid"},
		{"101 replicas", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Replicas = new(int32(101)) }, "spec.proxy.replicas: Invalid"},
		{"a rate of 0 would lose items", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Warmup.ItemsPerSecond = new(int32(0)) }, "spec.proxy.warmup.itemsPerSecond: Invalid"},
		{"a warm-up without time would lose items", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Warmup.MaxSeconds = new(int32(0)) }, "spec.proxy.warmup.maxSeconds: Invalid"},
		{"a negative limit", func(m *v1alpha1.Memcached) { m.Spec.Proxy.Resources = sample.Limits("-1") }, "spec.proxy.resources.limits[memory]"},
		{"the largest size", func(m *v1alpha1.Memcached) { m.Spec.Size = new(int32(1000)) }, ""},
		{"the largest size with the longest names does not fit into annotations", func(m *v1alpha1.Memcached) {
			m.Name, m.Namespace, m.Spec.Size = strings.Repeat("a", 50), strings.Repeat("b", 63), new(int32(1000))
		}, "spec.size: Invalid value: 1000: the names of all servers"},
	}
	for _, test := range cases {
		memcached := sample.Proxied(3)
		test.change(memcached)
		memcached = memcached.WithDefaults()
		err := Validate(memcached, allKinds, false, "cluster.local")
		if (err == nil) != (test.sentence == "") || err != nil && !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: the error is %v, want one with %q", test.reason, err, test.sentence)
		}
	}
}
