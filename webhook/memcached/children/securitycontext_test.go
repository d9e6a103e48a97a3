package children

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestSecurityContexts(t *testing.T) {
	pod := podSecurityContext(&corev1.PodSecurityContext{RunAsUser: new(int64(1000700000)), SupplementalGroups: []int64{7}}, nil)
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
