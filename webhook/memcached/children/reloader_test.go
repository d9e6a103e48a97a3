package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// TestReloaderSecurityContext checks that the reloader runs as the user of memcached, without its other privileges.
func TestReloaderSecurityContext(t *testing.T) {
	user := resources.RestrictedContainer()
	user.RunAsUser, user.RunAsGroup, user.RunAsNonRoot = new(int64(7)), new(int64(8)), new(true)
	cases := []struct {
		reason string
		spec   *corev1.SecurityContext
		want   *corev1.SecurityContext
	}{
		{"the security context is not set", nil, resources.RestrictedContainer()},
		{"the security context is empty", &corev1.SecurityContext{}, resources.RestrictedContainer()},
		{"user and group apply to the reloader", &corev1.SecurityContext{RunAsUser: new(int64(7)), RunAsGroup: new(int64(8)), RunAsNonRoot: new(true)}, user},
		{"the other fields apply to memcached only", &corev1.SecurityContext{
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
		spec := sample.Defaulted(v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}})
		spec.SecurityContext = test.spec
		if diff := cmp.Diff(test.want, reloaderContainer(spec, "hook", 0).SecurityContext); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(ContainerSecurityContext(test.spec), container(spec, Images{}, memory.Of(spec)).SecurityContext); diff != "" {
			t.Errorf("%s: the memcached container (-want +got):\n%s", test.reason, diff)
		}
	}
}
