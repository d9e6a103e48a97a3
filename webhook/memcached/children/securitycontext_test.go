package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestSecurityContexts(t *testing.T) {
	given := &corev1.PodSecurityContext{RunAsUser: new(int64(1000700000)), SupplementalGroups: []int64{7}}
	pod := podSecurityContext(&v1alpha1.MemcachedSpec{PodOptions: v1alpha1.PodOptions{PodSecurityContext: given}}, nil)
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

// TestAssignedUserIDs checks the pods for clusters that refuse IDs and sysctls, as OpenShift does with restricted-v2.
func TestAssignedUserIDs(t *testing.T) {
	spec := &v1alpha1.MemcachedSpec{}
	if got := podSecurityContext(spec, keepalive(Images{Hold: "hook"})); len(got.Sysctls) != 3 || *got.RunAsUser != userID {
		t.Errorf("by default the pod has the sysctls %v and user %d", got.Sysctls, *got.RunAsUser)
	}
	spec.UserIDs = v1alpha1.UserIDsAssigned
	spec.PodSecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{}}
	want := &corev1.PodSecurityContext{RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	if diff := cmp.Diff(want, podSecurityContext(spec, keepalive(Images{Hold: "hook"}))); diff != "" {
		t.Errorf("userIDs Assigned with an empty list of sysctls (-want +got):\n%s", diff)
	}
}
