package corevalidation

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// nativeDomain is the domain of the resources of Kubernetes. Resources without a domain are native too.
	nativeDomain = "kubernetes.io/"
	// quotaPrefix is the prefix that a ResourceQuota adds to the name of a resource.
	quotaPrefix = "requests."
)

// Resources validates the requests and limits of a container whose pod has no resourceClaims.
func Resources(path *field.Path, given *corev1.ResourceRequirements) field.ErrorList {
	var errs field.ErrorList
	if len(given.Claims) > 0 {
		errs = append(errs, field.Forbidden(path.Child("claims"), "these pods have no resourceClaims"))
	}
	for name, limit := range given.Limits {
		errs = append(errs, quantity(path.Child("limits").Key(string(name)), name, limit)...)
	}
	for name, request := range given.Requests {
		errs = append(errs, quantity(path.Child("requests").Key(string(name)), name, request)...)
		errs = append(errs, requestOf(path, name, request, given.Limits)...)
	}
	return Sorted(errs)
}

// quantity validates one request or limit. It refuses quantities above 64 bits, because Kubernetes misreads them.
func quantity(path *field.Path, name corev1.ResourceName, value resource.Quantity) field.ErrorList {
	errs := resourceName(path, name)
	switch {
	case value.Sign() < 0:
		errs = append(errs, field.Invalid(path, value.String(), "must not be negative"))
	case value.CmpInt64(math.MaxInt64) > 0:
		// The value is omitted, because a Quantity formats 1000000000000000000000 as 1.
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "must be less than 8Ei"))
	case isExtended(name) && !isWhole(value):
		errs = append(errs, field.Invalid(path, value.String(), "must be a whole number"))
	case isHugePages(name) && !isPages(name, value):
		errs = append(errs, field.Invalid(path, value.String(), "must be a multiple of the page size in the name of the resource"))
	}
	return errs
}

// requestOf validates a request against the limit of the same resource. Both must be equal for resources without overcommit.
func requestOf(path *field.Path, name corev1.ResourceName, request resource.Quantity, limits corev1.ResourceList) field.ErrorList {
	at := path.Child("requests").Key(string(name))
	limit, limited := limits[name]
	overcommits := isNative(name) && !isHugePages(name)
	switch {
	case !limited && !overcommits:
		return field.ErrorList{field.Required(path.Child("limits").Key(string(name)), "the request requires a limit of the same quantity")}
	case limited && !overcommits && request.Cmp(limit) != 0:
		return field.ErrorList{field.Invalid(at, request.String(), "must be equal to the limit of "+limit.String())}
	case limited && request.Cmp(limit) > 0:
		return field.ErrorList{field.Invalid(at, request.String(), "must not exceed the limit of "+limit.String())}
	}
	return nil
}

func resourceName(path *field.Path, name corev1.ResourceName) field.ErrorList {
	if name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage {
		return nil
	}
	if messages := validation.IsQualifiedName(string(name)); len(messages) > 0 {
		return invalid(path, name, messages)
	}
	switch {
	case isHugePages(name):
	case !strings.Contains(string(name), "/"):
		return field.ErrorList{field.Invalid(path, name, "must be cpu, memory, ephemeral-storage, hugepages-<size> or a name with a domain, such as example.com/device")}
	case !isNative(name) && !isExtended(name):
		return field.ErrorList{field.Invalid(path, name, "must not begin with "+quotaPrefix+", and must be short enough to add it")}
	}
	return nil
}

func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), nativeDomain)
}

// isExtended reports whether a resource is an extended resource, for example of a device plugin.
func isExtended(name corev1.ResourceName) bool {
	return !isNative(name) && !strings.HasPrefix(string(name), quotaPrefix) && len(validation.IsQualifiedName(quotaPrefix+string(name))) == 0
}

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func isWhole(value resource.Quantity) bool {
	whole := value.DeepCopy()
	return whole.RoundUp(0)
}

// isPages reports whether a quantity is a multiple of the page size in the name of the resource.
func isPages(name corev1.ResourceName, value resource.Quantity) bool {
	size, err := resource.ParseQuantity(strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix))
	return err == nil && size.Sign() > 0 && isWhole(size) && value.Value()%size.Value() == 0
}

// HugePages refuses huge pages without cpu or memory. It is separate from [Resources], because a builder may add memory.
func HugePages(path *field.Path, given *corev1.ResourceRequirements) field.ErrorList {
	pages := false
	for _, list := range []corev1.ResourceList{given.Limits, given.Requests} {
		for name := range list {
			if name == corev1.ResourceCPU || name == corev1.ResourceMemory {
				return nil
			}
			pages = pages || isHugePages(name)
		}
	}
	if !pages {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "huge pages require cpu or memory")}
}
