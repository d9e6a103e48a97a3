package corevalidation

import (
	"net/netip"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NetworkPolicyPeer validates one peer. The API server rejects a NetworkPolicy with an invalid peer, and without its policy
// a workload accepts all traffic.
func NetworkPolicyPeer(path *field.Path, peer *networkingv1.NetworkPolicyPeer) field.ErrorList {
	errs := labelSelector(path.Child("podSelector"), peer.PodSelector)
	errs = append(errs, labelSelector(path.Child("namespaceSelector"), peer.NamespaceSelector)...)
	if (peer.IPBlock != nil) == (peer.PodSelector != nil || peer.NamespaceSelector != nil) {
		errs = append(errs, field.Forbidden(path, "must have either an ipBlock, or a podSelector, a namespaceSelector, or both"))
	}
	if peer.IPBlock != nil {
		errs = append(errs, ipBlock(path.Child("ipBlock"), peer.IPBlock)...)
	}
	return errs
}

// maxEntries is the number of labels and values in a selector, and of excepted ranges. The API server has no limit, and each invalid one has up to
// four errors.
const maxEntries = 256

func labelSelector(path *field.Path, selector *metav1.LabelSelector) field.ErrorList {
	if selector == nil {
		return nil
	}
	count := len(selector.MatchLabels) + len(selector.MatchExpressions)
	for _, expression := range selector.MatchExpressions {
		count += len(expression.Values)
	}
	if count > maxEntries {
		return field.ErrorList{field.TooMany(path, count, maxEntries)}
	}
	return Sorted(metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, path))
}

func ipBlock(path *field.Path, block *networkingv1.IPBlock) field.ErrorList {
	if len(block.Except) > maxEntries {
		return field.ErrorList{field.TooMany(path.Child("except"), len(block.Except), maxEntries)}
	}
	errs := cidr(path.Child("cidr"), block.CIDR)
	whole, err := netip.ParsePrefix(block.CIDR)
	if err != nil {
		return errs
	}
	for i, except := range block.Except {
		at := path.Child("except").Index(i)
		errs = append(errs, cidr(at, except)...)
		part, err := netip.ParsePrefix(except)
		if err == nil && (part.Bits() <= whole.Bits() || !whole.Contains(part.Addr())) {
			errs = append(errs, field.Invalid(at, except, "must be a smaller range within "+block.CIDR))
		}
	}
	return errs
}

// cidr validates a range as strictly as Kubernetes 1.36 and later. Older versions accept leading zeros and bits beyond the
// prefix, which network plugins interpret differently. All versions accept forms of IPv6 that are not canonical.
func cidr(path *field.Path, value string) field.ErrorList {
	return validation.IsValidCIDRForLegacyField(path, value, true, nil)
}
