package manifests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestDefaults checks that the API server and the hook set the same defaults, so that a cache is the same with an old CRD.
func TestDefaults(t *testing.T) {
	k := kinds(t)[v1alpha1.SchemeGroupVersion.WithKind("Memcached")]
	cases := []struct {
		reason string
		spec   map[string]any
	}{
		{"an empty spec", map[string]any{}},
		{"objects whose fields are absent", map[string]any{
			"cache": map[string]any{}, "rollout": map[string]any{}, "scaling": map[string]any{}, "service": map[string]any{}, "metrics": map[string]any{},
			"tls": map[string]any{}, "auth": map[string]any{}, "flash": map[string]any{}, "proxy": map[string]any{},
		}},
		{"values that are not the defaults", map[string]any{
			"workload": "StatefulSet", "preStopSleepSeconds": int64(0), "serviceAccountName": "cache",
			"cache":   map[string]any{"verbosity": int64(0), "maxItemSize": "2Mi", "disableEvictions": true},
			"flash":   map[string]any{"pageSize": "32Mi"},
			"tls":     map[string]any{"clientAuth": "Require"},
			"proxy":   map[string]any{"warmup": map[string]any{"enabled": false}},
			"service": map[string]any{"ipFamilyPolicy": "PreferDualStack"},
		}},
	}
	for _, test := range cases {
		stored := map[string]any{"spec": runtime.DeepCopyJSON(test.spec), "status": map[string]any{}}
		defaulting.Default(stored, k.structural)
		want, got := memcachedOf(t, stored), memcachedOf(t, map[string]any{"spec": test.spec}).WithDefaults()
		want.Spec.Workload = got.Spec.Workload // its default depends on spec.proxy, so the CRD has none
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the hook sets other defaults than the CRD (-CRD +hook):\n%s", test.reason, diff)
		}
	}
}

func memcachedOf(t *testing.T, object map[string]any) *v1alpha1.Memcached {
	t.Helper()
	var memcached v1alpha1.Memcached
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &memcached); err != nil {
		t.Fatal(err)
	}
	return &memcached
}
