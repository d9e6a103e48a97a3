package memcached

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validateService(service *v1alpha1.Service, path *field.Path) field.ErrorList {
	errs := annotations(path.Child("annotations"), service.Annotations)
	errs = append(errs, validateServiceAnnotations(path.Child("annotations"), service.Annotations)...)
	policy := ptr.Deref(service.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	return append(errs, corevalidation.OneOf(path.Child("ipFamilyPolicy"), policy, corev1.IPFamilyPolicySingleStack, corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack)...)
}

// validateServiceAnnotations refuses the annotations that the API server refuses of a Service without a load balancer.
func validateServiceAnnotations(path *field.Path, given map[string]string) field.ErrorList {
	var errs field.ErrorList
	if _, found := given[corev1.AnnotationLoadBalancerSourceRangesKey]; found {
		errs = append(errs, field.Forbidden(path.Key(corev1.AnnotationLoadBalancerSourceRangesKey), "the Service is headless and has no load balancer: set spec.networkPolicy.from instead"))
	}
	mode, hasMode := given[corev1.AnnotationTopologyMode]
	hints, hasHints := given[corev1.DeprecatedAnnotationTopologyAwareHints]
	if hasMode && hasHints && mode != hints {
		errs = append(errs, field.Invalid(path.Key(corev1.AnnotationTopologyMode), mode, "must be the value of "+corev1.DeprecatedAnnotationTopologyAwareHints+" too, which is its former name"))
	}
	return errs
}

func validateNetworkPolicy(policy *v1alpha1.NetworkPolicy, path *field.Path) field.ErrorList {
	return append(validatePeers(path.Child("from"), policy.From), validatePeers(path.Child("metricsFrom"), policy.MetricsFrom)...)
}

// validatePeers validates peers even where the policy is not enabled, so that enabling it cannot fail.
func validatePeers(path *field.Path, peers []networkingv1.NetworkPolicyPeer) field.ErrorList {
	errs := atMost(path, len(peers), 64)
	for i := range peers {
		errs = append(errs, corevalidation.NetworkPolicyPeer(path.Index(i), &peers[i])...)
	}
	return errs
}

func validateSecurity(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if tls := spec.TLS; tls != nil {
		errs = append(errs, requiredName(path.Child("tls", "secretName"), tls.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "clientAuth"), tls.ClientAuth, "", v1alpha1.ClientAuthNone, v1alpha1.ClientAuthRequest, v1alpha1.ClientAuthRequire)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "plaintext"), tls.Plaintext, "", v1alpha1.PlaintextDisabled, v1alpha1.PlaintextEnabled)...)
	}
	if auth := spec.Auth; auth != nil {
		errs = append(errs, requiredName(path.Child("auth", "secretName"), auth.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("auth", "mode"), auth.Mode, "", v1alpha1.AuthSASL, v1alpha1.AuthASCII)...)
	}
	return errs
}

func requiredName(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "name the Secret")}
	}
	return optionalName(path, name)
}
