package memcached

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validatePod(spec *Spec, path *field.Path) field.ErrorList {
	errs := oneOf(path.Child("imagePullPolicy"), spec.ImagePullPolicy, "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
	errs = append(errs, atMost(path.Child("imagePullSecrets"), len(spec.ImagePullSecrets), 16)...)
	errs = append(errs, noClaims(path.Child("resources"), &spec.Resources)...)
	errs = append(errs, validateTermination(spec, path)...)
	errs = append(errs, optionalName(path.Child("priorityClassName"), spec.PriorityClassName)...)
	errs = append(errs, optionalName(path.Child("serviceAccountName"), spec.ServiceAccountName)...)
	errs = append(errs, sorted(metavalidation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector")))...)
	errs = append(errs, podLabelsAllowed(path.Child("podLabels"), spec.PodLabels)...)
	return append(errs, annotations(path.Child("podAnnotations"), spec.PodAnnotations)...)
}

func validateTermination(spec *Spec, path *field.Path) field.ErrorList {
	sleep, grace := path.Child("preStopSleepSeconds"), path.Child("terminationGracePeriodSeconds")
	errs := within(sleep, spec.PreStopSleepSeconds, 0, 3600)
	errs = append(errs, within(grace, spec.TerminationGracePeriodSeconds, 1, 7200)...)
	sleeps := deref(spec.PreStopSleepSeconds, defaultPreStopSleepSeconds)
	if sleeps >= deref(spec.TerminationGracePeriodSeconds, defaultTerminationGracePeriodSeconds) {
		errs = append(errs, field.Invalid(sleep, sleeps, "must be less than spec.terminationGracePeriodSeconds, which counts from the start of the sleep"))
	}
	return errs
}

func optionalName(path *field.Path, name string) field.ErrorList {
	var errs field.ErrorList
	if name == "" {
		return errs
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	return errs
}

// validatePeers refuses a peer that is nothing, which would be everything to some readers.
func validatePeers(peers []networkingv1.NetworkPolicyPeer, path *field.Path) field.ErrorList {
	errs := atMost(path, len(peers), 64)
	for i, peer := range peers {
		if (peer.IPBlock != nil) == (peer.PodSelector != nil || peer.NamespaceSelector != nil) {
			errs = append(errs, field.Forbidden(path.Index(i), "a peer is an ipBlock, or a podSelector or a namespaceSelector or both"))
		}
		if peer.IPBlock != nil {
			errs = append(errs, validateIPBlock(peer.IPBlock, path.Index(i).Child("ipBlock"))...)
		}
	}
	return errs
}

// validateIPBlock refuses what the API server would: without its policy a cache is open to everybody.
func validateIPBlock(block *networkingv1.IPBlock, path *field.Path) field.ErrorList {
	whole, err := netip.ParsePrefix(block.CIDR)
	if err != nil {
		return field.ErrorList{field.Invalid(path.Child("cidr"), block.CIDR, "must be a range of addresses as 10.0.0.0/8 or 2001:db8::/64")}
	}
	var errs field.ErrorList
	for i, except := range block.Except {
		part, err := netip.ParsePrefix(except)
		if err != nil || part.Bits() <= whole.Bits() || !whole.Contains(part.Addr()) {
			errs = append(errs, field.Invalid(path.Child("except").Index(i), except, "must be a range of addresses within "+block.CIDR+", and not all of it"))
		}
	}
	return errs
}
