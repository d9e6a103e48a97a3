package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaultsKeepValues checks that no value that is set changes, nor the parent itself. test/manifests compares the defaults with the CRD.
func TestDefaultsKeepValues(t *testing.T) {
	parent := &Memcached{Spec: MemcachedSpec{TLS: &TLS{}, Auth: &Auth{}, Flash: &Flash{}, Proxy: &Proxy{}}}
	parent.Spec.PreStopSleepSeconds = new(int64(0)) // 0 is not absent
	before := parent.DeepCopy()
	memcached := parent.WithDefaults()
	if diff := cmp.Diff(before, parent); diff != "" {
		t.Errorf("the parent itself has changed (-before +after):\n%s", diff)
	}
	if *memcached.Spec.PreStopSleepSeconds != 0 {
		t.Errorf("preStopSleepSeconds is %d, want 0", *memcached.Spec.PreStopSleepSeconds)
	}
	if diff := cmp.Diff(memcached, memcached.WithDefaults()); diff != "" {
		t.Errorf("the second call changes the defaults (-first +second):\n%s", diff)
	}
	if spec := (&Memcached{}).WithDefaults().Spec; spec.TLS != nil || spec.Auth != nil || spec.Flash != nil || spec.Proxy != nil || spec.Cache.Memory != nil {
		t.Errorf("a feature is enabled by default: %+v", spec)
	}
}

func TestDefaultWorkload(t *testing.T) {
	for _, test := range []struct {
		reason string
		spec   MemcachedSpec
		want   Workload
	}{
		{"the tutorials have a Deployment", MemcachedSpec{}, DeploymentWorkload},
		{"proxies know servers by their names", MemcachedSpec{Proxy: &Proxy{}}, StatefulSetWorkload},
		{"validation refuses what cannot be combined", MemcachedSpec{Workload: DeploymentWorkload, Proxy: &Proxy{}}, DeploymentWorkload},
	} {
		if got := (&Memcached{Spec: test.spec}).WithDefaults().Spec.Workload; got != test.want {
			t.Errorf("%s: the default is %s, want %s", test.reason, got, test.want)
		}
	}
}
