package validation

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateService repeats rules of the CRD. Reason: child.
func validateService(spec *v1alpha1.Service, path *field.Path) field.ErrorList {
	errs := validateAnnotations(path.Child("annotations"), spec.Annotations)
	errs = append(errs, validateServiceAnnotations(path.Child("annotations"), spec.Annotations)...)
	policy := *spec.IPFamilyPolicy
	return append(errs, corevalidation.OneOf(path.Child("ipFamilyPolicy"), policy, corev1.IPFamilyPolicySingleStack, corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack)...)
}

// validateServiceAnnotations refuses the annotations that the API server refuses on a Service without a load balancer.
func validateServiceAnnotations(path *field.Path, annotations map[string]string) field.ErrorList {
	var errs field.ErrorList
	if _, found := annotations[corev1.AnnotationLoadBalancerSourceRangesKey]; found {
		errs = append(errs, field.Forbidden(path.Key(corev1.AnnotationLoadBalancerSourceRangesKey), "the Service is headless and has no load balancer: set spec.networkPolicy.from instead"))
	}
	mode, hasMode := annotations[corev1.AnnotationTopologyMode]
	hints, hasHints := annotations[corev1.DeprecatedAnnotationTopologyAwareHints]
	if hasMode && hasHints && mode != hints {
		errs = append(errs, field.Invalid(path.Key(corev1.AnnotationTopologyMode), mode, "must be equal to "+corev1.DeprecatedAnnotationTopologyAwareHints+", the former name of the annotation"))
	}
	return errs
}

// validateNetworkPolicy repeats rules of the CRD. Reason: open, because the API server would refuse the whole NetworkPolicy.
func validateNetworkPolicy(policy *v1alpha1.NetworkPolicy, path *field.Path) field.ErrorList {
	errs := append(validatePeers(path.Child("from"), policy.From), validatePeers(path.Child("metricsFrom"), policy.MetricsFrom)...)
	return append(errs, corevalidation.OneOf(path.Child("egress"), policy.Egress, "", v1alpha1.EgressDeny, v1alpha1.EgressAllow)...)
}

// validatePeers validates peers even if the policy is not enabled, so that it can always be enabled.
func validatePeers(path *field.Path, peers []networkingv1.NetworkPolicyPeer) field.ErrorList {
	var errs field.ErrorList
	for i := range peers {
		errs = append(errs, corevalidation.NetworkPolicyPeer(path.Index(i), &peers[i])...)
	}
	return errs
}

// validateSecurity repeats rules of the CRD. Reasons: open, because memcached would serve without TLS or passwords, and child for the names of
// Secrets.
func validateSecurity(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if tls := spec.TLS; tls != nil {
		errs = append(errs, validateSecretName(path.Child("tls", "secretName"), tls.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "clientAuth"), tls.ClientAuth, "", v1alpha1.ClientAuthNone, v1alpha1.ClientAuthRequest, v1alpha1.ClientAuthRequire)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "plaintext"), tls.Plaintext, "", v1alpha1.PlaintextDisabled, v1alpha1.PlaintextEnabled)...)
	}
	if auth := spec.Auth; auth != nil {
		errs = append(errs, validateSecretName(path.Child("auth", "secretName"), auth.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("auth", "mode"), auth.Mode, "", v1alpha1.AuthSASL, v1alpha1.AuthASCII)...)
	}
	return errs
}

func validateSecretName(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "must be the name of a Secret")}
	}
	return validateObjectName(path, name)
}
