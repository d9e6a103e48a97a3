package memcached

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestValidateBorrowedTypes holds that each borrowed field is validated, under its own path. The rules of each type have
// their tests in corevalidation.
func TestValidateBorrowedTypes(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"an empty selector selects all pods", func(s *v1alpha1.MemcachedSpec) {
			s.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
		}, ""},
		{"a range with bits beyond its prefix", func(s *v1alpha1.MemcachedSpec) {
			s.NetworkPolicy.MetricsFrom = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.1/8"}}}
		}, `spec.networkPolicy.metricsFrom[0].ipBlock.cidr: Invalid value: "10.0.0.1/8"`},
		{"no such operator", func(s *v1alpha1.MemcachedSpec) { s.Tolerations = []corev1.Toleration{{Key: "a", Operator: "Foo"}} }, `spec.tolerations[0].operator: Unsupported value: "Foo"`},
		{"a constraint gets the cache's selector", func(s *v1alpha1.MemcachedSpec) {
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, MatchLabelKeys: []string{"pod-template-hash"}}}
		}, ""},
		{"which has these keys", func(s *v1alpha1.MemcachedSpec) {
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, MatchLabelKeys: []string{"app"}}}
		}, `spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "app"`},
		{"a negative limit beside the size of the cache", func(s *v1alpha1.MemcachedSpec) { s.Cache.MemoryMB, s.Resources = new(int64(64)), limitedTo("-5Mi") }, `spec.resources.limits[memory]: Invalid value: "-5Mi": must not be negative`},
		{"no limit to the kubelet", func(s *v1alpha1.MemcachedSpec) { s.Cache.MemoryMB, s.Resources = new(int64(64)), limitedTo("0") }, `spec.resources.limits[memory]: Invalid value: "0": must be at least 1Mi`},
		{"a limit beyond 64 bits", func(s *v1alpha1.MemcachedSpec) { s.Resources = limitedTo("1000000000000000000000") }, `spec.resources.limits[memory]: Invalid value: must be less than 8Ei`},
		{"the exporter's limit", func(s *v1alpha1.MemcachedSpec) { s.Metrics.Resources = limitedTo("-1") }, `spec.metrics.resources.limits[memory]`},
		{"privileges that escalate", func(s *v1alpha1.MemcachedSpec) {
			s.SecurityContext = &corev1.SecurityContext{Privileged: new(true), AllowPrivilegeEscalation: new(false)}
		}, `spec.securityContext.allowPrivilegeEscalation`},
		{"a negative group", func(s *v1alpha1.MemcachedSpec) {
			s.PodSecurityContext = &corev1.PodSecurityContext{FSGroup: new(int64(-1))}
		}, `spec.podSecurityContext.fsGroup`},
		{"256 characters in 512 bytes", func(s *v1alpha1.MemcachedSpec) { s.Cache.ExtraArgs = []string{strings.Repeat("ä", 256)} }, ""},
		{"257 characters", func(s *v1alpha1.MemcachedSpec) { s.Cache.ExtraArgs = []string{strings.Repeat("ä", 257)} }, `spec.cache.extraArgs[0]: Too long: may not be more than 256 characters`},
		{"a cost", func(s *v1alpha1.MemcachedSpec) { s.PodAnnotations = map[string]string{corev1.PodDeletionCost: "-5"} }, ""},
		{"a cost with a leading zero", func(s *v1alpha1.MemcachedSpec) { s.PodAnnotations = map[string]string{corev1.PodDeletionCost: "05"} }, `spec.podAnnotations[controller.kubernetes.io/pod-deletion-cost]`},
		{"no cost", func(s *v1alpha1.MemcachedSpec) { s.PodAnnotations = map[string]string{corev1.PodDeletionCost: ""} }, `spec.podAnnotations[controller.kubernetes.io/pod-deletion-cost]`},
		{"a field has replaced it", func(s *v1alpha1.MemcachedSpec) {
			s.PodAnnotations = map[string]string{corev1.SeccompPodAnnotationKey: "unconfined"}
		}, `seccompProfile in spec.podSecurityContext`},
		{"the Service has no load balancer", func(s *v1alpha1.MemcachedSpec) {
			s.Service.Annotations = map[string]string{corev1.AnnotationLoadBalancerSourceRangesKey: "10.0.0.0/8"}
		}, `spec.service.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Forbidden`},
		{"what Metacontroller sets", func(s *v1alpha1.MemcachedSpec) { s.PodAnnotations = map[string]string{"metacontroller.k8s.io/a": "b"} }, `spec.podAnnotations[metacontroller.k8s.io/a]: Forbidden`},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, test.change, test.sentence)
	}
}

// wantValidated fails unless a changed spec is refused with that part of a sentence; "" is for a valid one.
func wantValidated(t *testing.T, reason string, change func(*v1alpha1.MemcachedSpec), sentence string) {
	t.Helper()
	memcached := sample(1)
	change(&memcached.Spec)
	got := ""
	if err := validate(memcached, &childGroups{}); err != nil {
		got = err.Error()
	}
	if (got == "") != (sentence == "") || !strings.Contains(got, sentence) {
		t.Errorf("%s: refused with %q, want %q", reason, got, sentence)
	}
}
