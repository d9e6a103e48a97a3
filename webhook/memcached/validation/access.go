package validation

import (
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateNetworkPolicy repeats rules of the CRD. Reason: open, because the API server would refuse the whole NetworkPolicy.
func validateNetworkPolicy(policy *v1alpha1.NetworkPolicy, path *field.Path) field.ErrorList {
	errs := append(validatePeers(path.Child("from"), policy.From), validatePeers(path.Child("metricsFrom"), policy.MetricsFrom)...)
	return append(errs, corevalidation.OneOf(path.Child("egress"), policy.Egress, "", v1alpha1.EgressDeny, v1alpha1.EgressAllow)...)
}

// validatePeers validates peers even if the policy is not enabled, so that it can always be enabled. It stops when a message has enough errors.
func validatePeers(path *field.Path, peers []networkingv1.NetworkPolicyPeer) field.ErrorList {
	var errs field.ErrorList
	for i := range peers {
		if len(errs) > corevalidation.MaxErrors {
			break
		}
		errs = append(errs, corevalidation.NetworkPolicyPeer(path.Index(i), &peers[i])...)
	}
	return errs
}

// validateSecurity repeats rules of the CRD. Reason: open, because memcached would serve without TLS or passwords.
func validateSecurity(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if tls := spec.TLS; tls != nil {
		errs = corevalidation.OneOf(path.Child("tls", "clientAuth"), tls.ClientAuth, v1alpha1.ClientAuthNone, v1alpha1.ClientAuthRequest, v1alpha1.ClientAuthRequire)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "plaintext"), tls.Plaintext, v1alpha1.PlaintextDisabled, v1alpha1.PlaintextEnabled)...)
	}
	if auth := spec.Auth; auth != nil {
		errs = append(errs, corevalidation.OneOf(path.Child("auth", "mode"), auth.Mode, v1alpha1.AuthSASL, v1alpha1.AuthASCII)...)
	}
	return errs
}
