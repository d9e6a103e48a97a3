package corevalidation

import (
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	onlyLocalhost  = "is allowed only for the type Localhost"
	needsLocalhost = "set the profile: the type Localhost requires it"

	// maxAppArmorProfileLength is the maximum length of a path on Linux.
	maxAppArmorProfileLength = 4095
)

func seccomp(path *field.Path, profile *corev1.SeccompProfile) field.ErrorList {
	if profile == nil {
		return nil
	}
	errs := OneOf(path.Child("type"), profile.Type, corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeUnconfined)
	path = path.Child("localhostProfile")
	switch {
	case profile.Type != corev1.SeccompProfileTypeLocalhost && profile.LocalhostProfile != nil:
		errs = append(errs, field.Forbidden(path, onlyLocalhost))
	case profile.Type == corev1.SeccompProfileTypeLocalhost && profile.LocalhostProfile == nil:
		errs = append(errs, field.Required(path, needsLocalhost))
	case profile.LocalhostProfile != nil && !descends(*profile.LocalhostProfile):
		errs = append(errs, field.Invalid(path, *profile.LocalhostProfile, "must be a relative path without .."))
	}
	return errs
}

// descends reports whether a path stays below the directory in which it starts.
func descends(path string) bool {
	return !strings.HasPrefix(path, "/") && !slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..")
}

func appArmor(path *field.Path, profile *corev1.AppArmorProfile) field.ErrorList {
	if profile == nil {
		return nil
	}
	errs := OneOf(path.Child("type"), profile.Type, corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeLocalhost, corev1.AppArmorProfileTypeUnconfined)
	path = path.Child("localhostProfile")
	switch {
	case profile.Type != corev1.AppArmorProfileTypeLocalhost && profile.LocalhostProfile != nil:
		errs = append(errs, field.Forbidden(path, onlyLocalhost))
	case profile.Type == corev1.AppArmorProfileTypeLocalhost && (profile.LocalhostProfile == nil || *profile.LocalhostProfile == ""):
		errs = append(errs, field.Required(path, needsLocalhost))
	case profile.LocalhostProfile == nil:
	case strings.TrimSpace(*profile.LocalhostProfile) != *profile.LocalhostProfile:
		errs = append(errs, field.Invalid(path, *profile.LocalhostProfile, "must not begin or end with a blank"))
	case len(*profile.LocalhostProfile) > maxAppArmorProfileLength:
		errs = append(errs, field.TooLong(path, *profile.LocalhostProfile, maxAppArmorProfileLength))
	}
	return errs
}

// windows refuses options for Windows, because these pods run on Linux.
func windows(path *field.Path, options *corev1.WindowsSecurityContextOptions) field.ErrorList {
	if options == nil || *options == (corev1.WindowsSecurityContextOptions{}) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "these pods run on Linux")}
}
