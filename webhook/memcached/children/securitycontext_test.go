package children

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestSecurityContexts(t *testing.T) {
	pod := podSecurityContext(&v1alpha1.MemcachedSpec{PodOptions: v1alpha1.PodOptions{
		PodSecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(1000700000)), SupplementalGroups: []int64{7}},
	}})
	if *pod.RunAsUser != 1000700000 || !*pod.RunAsNonRoot || *pod.FSGroup != userID || len(pod.SupplementalGroups) != 1 {
		t.Errorf("the fields of the spec are not set, or other fields are not restricted: %v", pod)
	}
	container := ContainerSecurityContext(&corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"IPC_LOCK"}}})
	if len(container.Capabilities.Drop) != 1 || len(container.Capabilities.Add) != 1 || *container.AllowPrivilegeEscalation {
		t.Errorf("nested fields are not merged: %v", container)
	}
	for reason, spec := range map[string]*corev1.SecurityContext{
		"privileged":    {Privileged: new(true)},
		"CAP_SYS_ADMIN": {Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN"}}},
	} {
		if got := ContainerSecurityContext(spec); got.AllowPrivilegeEscalation != nil {
			t.Errorf("%s: the API server refuses it together with allowPrivilegeEscalation %t", reason, *got.AllowPrivilegeEscalation)
		}
	}
	if defaults := ContainerSecurityContext(nil); len(defaults.Capabilities.Add) != 0 {
		t.Error("the function changed the defaults")
	}
}

// TestKeepalive: a proxy can vanish without closing its connections. A server that is told to stop must not wait for it.
func TestKeepalive(t *testing.T) {
	own := []corev1.Sysctl{{Name: "net.ipv4.tcp_keepalive_time", Value: "60"}, {Name: "net.ipv4.tcp_syncookies", Value: "1"}}
	for _, test := range []struct {
		reason string
		edit   func(*v1alpha1.Memcached)
		want   []corev1.Sysctl
	}{
		{"servers wait for proxies", func(*v1alpha1.Memcached) {}, keepalive},
		{"spec sets one of them, and another one", func(m *v1alpha1.Memcached) {
			m.Spec.PodSecurityContext = &corev1.PodSecurityContext{Sysctls: own}
		}, append(slices.Clone(own), keepalive[1:]...)},
		{"without proxies, nothing waits", func(m *v1alpha1.Memcached) { m.Spec.Proxy = nil }, nil},
	} {
		memcached := sample.Proxied(2)
		test.edit(memcached)
		memcached.Default()
		if diff := cmp.Diff(test.want, podSecurityContext(&memcached.Spec).Sysctls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
