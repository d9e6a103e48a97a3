package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// TestReloaderSecurityContext: the reloader runs as the user of memcached, and gains no privilege that memcached is given.
func TestReloaderSecurityContext(t *testing.T) {
	user := resources.RestrictedContainer()
	user.RunAsUser, user.RunAsGroup, user.RunAsNonRoot = new(int64(7)), new(int64(8)), new(true)
	cases := []struct {
		reason string
		given  *corev1.SecurityContext
		want   *corev1.SecurityContext
	}{
		{"the default", nil, resources.RestrictedContainer()},
		{"an empty one", &corev1.SecurityContext{}, resources.RestrictedContainer()},
		{"only this user may send memcached a signal", &corev1.SecurityContext{RunAsUser: new(int64(7)), RunAsGroup: new(int64(8)), RunAsNonRoot: new(true)}, user},
		{"all the rest is for memcached", &corev1.SecurityContext{
			Privileged:               new(true),
			AllowPrivilegeEscalation: new(true),
			ReadOnlyRootFilesystem:   new(false),
			Capabilities:             &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN", "IPC_LOCK"}, Drop: []corev1.Capability{}},
			SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined},
			AppArmorProfile:          &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined},
			SELinuxOptions:           &corev1.SELinuxOptions{Type: "spc_t"},
			ProcMount:                new(corev1.UnmaskedProcMount),
			WindowsOptions:           &corev1.WindowsSecurityContextOptions{HostProcess: new(true)},
			RunAsUser:                new(int64(7)), RunAsGroup: new(int64(8)), RunAsNonRoot: new(true),
		}, user},
	}
	for _, test := range cases {
		spec := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}}
		spec.SecurityContext = test.given
		if diff := cmp.Diff(test.want, reloader(&spec, "hook").SecurityContext); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(containerSecurityContext(test.given), container(&spec, memorySizeOf(&spec)).SecurityContext); diff != "" {
			t.Errorf("%s: memcached's container (-want +got):\n%s", test.reason, diff)
		}
	}
}
