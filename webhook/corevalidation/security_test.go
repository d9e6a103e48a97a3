package corevalidation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestPodSecurityContext(t *testing.T) {
	cases := []struct {
		reason string
		given  *corev1.PodSecurityContext
		want   string
	}{
		{"none", nil, ""},
		{"the root user", &corev1.PodSecurityContext{RunAsUser: new(int64(0))}, ""},
		{"a negative user", &corev1.PodSecurityContext{RunAsUser: new(int64(-1))}, "spec.runAsUser: Invalid value"},
		{"a group of 32 bits", &corev1.PodSecurityContext{FSGroup: new(int64(1 << 31))}, "spec.fsGroup: Invalid value"},
		{"a negative group", &corev1.PodSecurityContext{SupplementalGroups: []int64{1, -1}}, "spec.supplementalGroups[1]: Invalid value"},
		{"an unknown policy", &corev1.PodSecurityContext{FSGroupChangePolicy: new(corev1.PodFSGroupChangePolicy("Never"))}, "spec.fsGroupChangePolicy: Unsupported value"},
		{"valid sysctls", &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "net.core.somaxconn"}, {Name: "net/a"}}}, ""},
		{"an invalid sysctl", &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "Net"}}}, "spec.sysctls[0].name: Invalid value"},
		{"the longest sysctl", &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: strings.Repeat("a", 253)}}}, ""},
		{"a sysctl that is too long", &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: strings.Repeat("a", 254)}}}, "spec.sysctls[0].name: Invalid value"},
		{"a duplicate sysctl", &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "a"}, {Name: "a"}}}, "spec.sysctls[1].name: Duplicate value"},
		{"empty Windows options", &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{}}, ""},
		{"a Windows user", &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{RunAsUserName: new("a")}}, "spec.windowsOptions: Forbidden"},
	}
	for _, test := range cases {
		expect(t, test.reason, PodSecurityContext(specPath, test.given), test.want)
	}
}

func TestSecurityContext(t *testing.T) {
	admin := &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN"}}
	cases := []struct {
		reason string
		given  *corev1.SecurityContext
		want   string
	}{
		{"none", nil, ""},
		{"a privileged container", &corev1.SecurityContext{Privileged: new(true), AllowPrivilegeEscalation: new(true)}, ""},
		{"a privileged container without privilege escalation", &corev1.SecurityContext{Privileged: new(true), AllowPrivilegeEscalation: new(false)}, "spec.allowPrivilegeEscalation: Invalid value"},
		{"CAP_SYS_ADMIN without privilege escalation", &corev1.SecurityContext{Capabilities: admin, AllowPrivilegeEscalation: new(false)}, "spec.allowPrivilegeEscalation: Invalid value"},
		{"CAP_SYS_ADMIN", &corev1.SecurityContext{Capabilities: admin}, ""},
		{"an unknown proc mount", &corev1.SecurityContext{ProcMount: new(corev1.ProcMountType("Hidden"))}, "spec.procMount: Unsupported value"},
		{"a proc mount for a user namespace", &corev1.SecurityContext{ProcMount: new(corev1.UnmaskedProcMount)}, "spec.procMount: Unsupported value"},
		{"a negative group", &corev1.SecurityContext{RunAsGroup: new(int64(-1))}, "spec.runAsGroup: Invalid value"},
	}
	for _, test := range cases {
		expect(t, test.reason, SecurityContext(specPath, test.given), test.want)
	}
}

func TestProfiles(t *testing.T) {
	cases := []struct {
		reason            string
		kind              string
		profile           *string
		seccomp, appArmor string
	}{
		{"the default of the runtime", "RuntimeDefault", nil, "", ""},
		{"a local profile", "Localhost", new("a/b"), "", ""},
		{"no type", "", nil, "spec.type: Unsupported value", "spec.type: Unsupported value"},
		{"an unknown type", "Default", nil, "spec.type: Unsupported value", "spec.type: Unsupported value"},
		{"a local profile without a name", "Localhost", nil, "spec.localhostProfile: Required value", "spec.localhostProfile: Required value"},
		{"a name with another type", "Unconfined", new("a"), "spec.localhostProfile: Forbidden", "spec.localhostProfile: Forbidden"},
		{"a path with ..", "Localhost", new("a/../b"), "spec.localhostProfile: Invalid value", ""},
		{"an absolute path", "Localhost", new("/a"), "spec.localhostProfile: Invalid value", ""},
		{"a blank at the end", "Localhost", new("a "), "", "spec.localhostProfile: Invalid value"},
		{"a name that is too long", "Localhost", new(strings.Repeat("a", 4096)), "", "spec.localhostProfile: Invalid value"},
	}
	for _, test := range cases {
		expect(t, test.reason, seccomp(specPath, &corev1.SeccompProfile{Type: corev1.SeccompProfileType(test.kind), LocalhostProfile: test.profile}), test.seccomp)
		expect(t, test.reason, appArmor(specPath, &corev1.AppArmorProfile{Type: corev1.AppArmorProfileType(test.kind), LocalhostProfile: test.profile}), test.appArmor)
	}
}
