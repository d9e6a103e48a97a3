package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaultKeepsValues checks that Default changes nothing that is set. test/manifests compares the defaults with the CRD.
func TestDefaultKeepsValues(t *testing.T) {
	memcached := &Memcached{Spec: MemcachedSpec{TLS: &TLS{}, Auth: &Auth{}, Flash: &Flash{}, Proxy: &Proxy{}}}
	memcached.Spec.PreStopSleepSeconds = new(int64(0)) // 0 is not absent
	memcached.Default()
	if *memcached.Spec.PreStopSleepSeconds != 0 {
		t.Errorf("preStopSleepSeconds is %d, want 0", *memcached.Spec.PreStopSleepSeconds)
	}
	want := memcached.DeepCopy()
	memcached.Default()
	if diff := cmp.Diff(want, memcached); diff != "" {
		t.Errorf("the second call changes the defaults (-first +second):\n%s", diff)
	}
	bare := &Memcached{}
	bare.Default()
	if spec := bare.Spec; spec.TLS != nil || spec.Auth != nil || spec.Flash != nil || spec.Proxy != nil || spec.Cache.Memory != nil {
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
		memcached := &Memcached{Spec: test.spec}
		if memcached.Default(); memcached.Spec.Workload != test.want {
			t.Errorf("%s: the default is %s, want %s", test.reason, memcached.Spec.Workload, test.want)
		}
	}
}
