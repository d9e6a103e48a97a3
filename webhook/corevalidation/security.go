package corevalidation

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PodSecurityContext validates the security context of pods that do not use the host's namespaces; nil is valid.
func PodSecurityContext(path *field.Path, given *corev1.PodSecurityContext) field.ErrorList {
	if given == nil {
		return nil
	}
	errs := id(path.Child("runAsUser"), given.RunAsUser, validation.IsValidUserID)
	errs = append(errs, id(path.Child("runAsGroup"), given.RunAsGroup, validation.IsValidGroupID)...)
	errs = append(errs, id(path.Child("fsGroup"), given.FSGroup, validation.IsValidGroupID)...)
	for i := range given.SupplementalGroups {
		errs = append(errs, id(path.Child("supplementalGroups").Index(i), &given.SupplementalGroups[i], validation.IsValidGroupID)...)
	}
	errs = append(errs, optional(path.Child("supplementalGroupsPolicy"), given.SupplementalGroupsPolicy, corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)...)
	errs = append(errs, optional(path.Child("fsGroupChangePolicy"), given.FSGroupChangePolicy, corev1.FSGroupChangeOnRootMismatch, corev1.FSGroupChangeAlways)...)
	errs = append(errs, optional(path.Child("seLinuxChangePolicy"), given.SELinuxChangePolicy, corev1.SELinuxChangePolicyRecursive, corev1.SELinuxChangePolicyMountOption)...)
	errs = append(errs, seccomp(path.Child("seccompProfile"), given.SeccompProfile)...)
	errs = append(errs, appArmor(path.Child("appArmorProfile"), given.AppArmorProfile)...)
	if given.WindowsOptions != nil && *given.WindowsOptions != (corev1.WindowsSecurityContextOptions{}) {
		errs = append(errs, field.Forbidden(path.Child("windowsOptions"), "these pods run on Linux"))
	}
	return append(errs, sysctls(path.Child("sysctls"), given.Sysctls)...)
}

// SecurityContext validates the security context of a container in such pods; nil is valid.
func SecurityContext(path *field.Path, given *corev1.SecurityContext) field.ErrorList {
	if given == nil {
		return nil
	}
	errs := PodSecurityContext(path, &corev1.PodSecurityContext{ // the fields that both have
		RunAsUser: given.RunAsUser, RunAsGroup: given.RunAsGroup,
		SeccompProfile: given.SeccompProfile, AppArmorProfile: given.AppArmorProfile, WindowsOptions: given.WindowsOptions,
	})
	if given.AllowPrivilegeEscalation != nil && !*given.AllowPrivilegeEscalation && Escalates(given) {
		errs = append(errs, field.Invalid(path.Child("allowPrivilegeEscalation"), false, "must not be false when privileged is true or CAP_SYS_ADMIN is added"))
	}
	// Unmasked requires a user namespace, and these pods have none.
	return append(errs, optional(path.Child("procMount"), given.ProcMount, corev1.DefaultProcMount)...)
}

// Escalates reports whether a container has privileges that the API server refuses together with
// allowPrivilegeEscalation: false.
func Escalates(given *corev1.SecurityContext) bool {
	return given.Privileged != nil && *given.Privileged ||
		given.Capabilities != nil && slices.Contains(given.Capabilities.Add, "CAP_SYS_ADMIN")
}

func id(path *field.Path, given *int64, messages func(int64) []string) field.ErrorList {
	if given == nil {
		return nil
	}
	return invalid(path, *given, messages(*given))
}

func optional[T ~string](path *field.Path, given *T, values ...T) field.ErrorList {
	if given == nil {
		return nil
	}
	return OneOf(path, *given, values...)
}

const maxSysctlLength = 253

// sysctlName matches the name of a kernel parameter: segments that are separated by dots or slashes.
var sysctlName = regexp.MustCompile(`^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$`)

func sysctls(path *field.Path, given []corev1.Sysctl) field.ErrorList {
	var errs field.ErrorList
	for i, sysctl := range given {
		at := path.Index(i).Child("name")
		if len(sysctl.Name) > maxSysctlLength || !sysctlName.MatchString(sysctl.Name) {
			errs = append(errs, field.Invalid(at, sysctl.Name, "must be the name of a kernel parameter, such as net.core.somaxconn"))
		}
		if slices.ContainsFunc(given[:i], func(other corev1.Sysctl) bool { return other.Name == sysctl.Name }) {
			errs = append(errs, field.Duplicate(at, sysctl.Name))
		}
	}
	return errs
}
