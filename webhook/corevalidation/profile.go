package corevalidation

import (
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxAppArmorProfileLength is the maximum length of a path on Linux.
const maxAppArmorProfileLength = 4095

func seccomp(path *field.Path, given *corev1.SeccompProfile) field.ErrorList {
	if given == nil {
		return nil
	}
	return profile(path, given.Type, given.LocalhostProfile, func(name string) bool {
		return !strings.HasPrefix(name, "/") && !slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..")
	}, "must be a relative path without ..")
}

func appArmor(path *field.Path, given *corev1.AppArmorProfile) field.ErrorList {
	if given == nil {
		return nil
	}
	return profile(path, corev1.SeccompProfileType(given.Type), given.LocalhostProfile, func(name string) bool {
		return name != "" && strings.TrimSpace(name) == name && len(name) <= maxAppArmorProfileLength
	}, "must not be empty, longer than a path, or begin or end with a blank")
}

// profile validates a profile of seccomp or AppArmor, which have the same types. Only the type Localhost has a name.
func profile(path *field.Path, kind corev1.SeccompProfileType, name *string, valid func(string) bool, message string) field.ErrorList {
	errs := OneOf(path.Child("type"), kind, corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeUnconfined)
	path = path.Child("localhostProfile")
	switch isLocal := kind == corev1.SeccompProfileTypeLocalhost; {
	case isLocal && name == nil:
		errs = append(errs, field.Required(path, "the type Localhost requires a profile"))
	case !isLocal && name != nil:
		errs = append(errs, field.Forbidden(path, "is allowed only for the type Localhost"))
	case isLocal && !valid(*name):
		errs = append(errs, field.Invalid(path, *name, message))
	}
	return errs
}
