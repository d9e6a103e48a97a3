package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// validateKinds refuses fields that need a child of a kind that the CompositeController does not list. A child that spec does
// not ask for is only left out. For spec.metrics.serviceMonitor, the condition MetricsReady reports it.
func validateKinds(spec *v1alpha1.MemcachedSpec, path *field.Path, listed sets.Set[string]) field.ErrorList {
	const deployment, statefulSet, service, budget, policy = "Deployment", "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"
	stateful := spec.Workload == v1alpha1.StatefulSetWorkload
	hasBudget, hasPolicy := ptr.Deref(spec.PodDisruptionBudget.Enabled, true), ptr.Deref(spec.NetworkPolicy.Enabled, true)
	var errs field.ErrorList
	for _, need := range []struct {
		path  *field.Path
		isSet bool
		kind  string
	}{
		{path.Child("workload"), !stateful, deployment},
		{path.Child("workload"), stateful, statefulSet},
		{path.Child("workload"), stateful, service}, // the names of the pods in DNS
		{path.Child("proxy"), spec.Proxy != nil, deployment},
		{path.Child("service", "annotations"), len(spec.Service.Annotations) > 0, service},
		{path.Child("service", "ipFamilyPolicy"), *spec.Service.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack, service},
		{path.Child("metrics", "serviceMonitor"), spec.Metrics.ServiceMonitor != nil && listed.Has("ServiceMonitor"), service},
		{path.Child("podDisruptionBudget", "enabled"), hasBudget && spec.PodDisruptionBudget.Enabled != nil, budget},
		{path.Child("podDisruptionBudget", "minAvailable"), hasBudget && spec.PodDisruptionBudget.MinAvailable != nil, budget},
		{path.Child("podDisruptionBudget", "maxUnavailable"), hasBudget && spec.PodDisruptionBudget.MaxUnavailable != nil, budget},
		{path.Child("networkPolicy", "enabled"), hasPolicy && spec.NetworkPolicy.Enabled != nil, policy},
		{path.Child("networkPolicy", "from"), hasPolicy && len(spec.NetworkPolicy.From) > 0, policy},
		{path.Child("networkPolicy", "egress"), hasPolicy && spec.NetworkPolicy.Egress == v1alpha1.EgressDeny, policy},
		{path.Child("networkPolicy", "metricsFrom"), hasPolicy && len(spec.NetworkPolicy.MetricsFrom) > 0, policy},
	} {
		if need.isSet && !listed.Has(need.kind) {
			errs = append(errs, field.Forbidden(need.path, fmt.Sprintf("requires a %s, but childResources of the CompositeController do not list this kind", need.kind)))
		}
	}
	return errs
}
