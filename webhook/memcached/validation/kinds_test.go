package validation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestValidateKinds(t *testing.T) {
	onlyDeployments, onlyStatefulSets := sets.New("Deployment"), sets.New("StatefulSet")
	withMonitors := onlyDeployments.Union(sets.New("ServiceMonitor"))
	peers := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	stateful := func(s *v1alpha1.MemcachedSpec) { s.Workload = v1alpha1.StatefulSetWorkload }
	cases := []struct {
		reason string
		listed sets.Set[string]
		change func(*v1alpha1.MemcachedSpec)
		want   []string // the fields and kinds of the errors
	}{
		{"every kind is listed", allKinds, func(s *v1alpha1.MemcachedSpec) { stateful(s); s.NetworkPolicy.From = peers }, nil},
		{"a cache needs only its workload", onlyDeployments, func(*v1alpha1.MemcachedSpec) {}, nil},
		{"a cache without a workload serves nothing", onlyStatefulSets, func(*v1alpha1.MemcachedSpec) {}, []string{"spec.workload Deployment"}},
		{"the Service gives the pods of a StatefulSet their names in DNS", onlyStatefulSets, stateful, []string{"spec.workload Service"}},
		{"an explicit workload", onlyDeployments, stateful, []string{"spec.workload StatefulSet", "spec.workload Service"}},
		{"proxies need a Deployment", onlyStatefulSets, func(s *v1alpha1.MemcachedSpec) { stateful(s); s.Proxy = &v1alpha1.Proxy{} }, []string{"spec.workload Service", "spec.proxy Deployment"}},
		{"annotations of no Service", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.Service.Annotations = map[string]string{"a": "b"} }, []string{"spec.service.annotations Service"}},
		{"a policy of no Service", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.Service.IPFamilyPolicy = new(corev1.IPFamilyPolicyPreferDualStack) }, []string{"spec.service.ipFamilyPolicy Service"}},
		{"a ServiceMonitor selects Services", withMonitors, sample.WithServiceMonitor, []string{"spec.metrics.serviceMonitor Service"}},
		{"MetricsReady reports a ServiceMonitor that is not listed", onlyDeployments, sample.WithServiceMonitor, nil},
		{"an explicit PodDisruptionBudget", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.PodDisruptionBudget.Enabled = new(true) }, []string{"spec.podDisruptionBudget.enabled PodDisruptionBudget"}},
		{"a limit of no PodDisruptionBudget", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.PodDisruptionBudget.MinAvailable = new(intstr.FromInt32(1)) }, []string{"spec.podDisruptionBudget.minAvailable PodDisruptionBudget"}},
		{"another limit of no PodDisruptionBudget", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.PodDisruptionBudget.MaxUnavailable = new(intstr.FromInt32(1)) }, []string{"spec.podDisruptionBudget.maxUnavailable PodDisruptionBudget"}},
		{"an explicit NetworkPolicy", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.NetworkPolicy.Enabled = new(true) }, []string{"spec.networkPolicy.enabled NetworkPolicy"}},
		{"without the NetworkPolicy, every peer could connect", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.NetworkPolicy.From, s.NetworkPolicy.MetricsFrom = peers, peers }, []string{"spec.networkPolicy.from NetworkPolicy", "spec.networkPolicy.metricsFrom NetworkPolicy"}},
		{"without the NetworkPolicy, nothing denies egress", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.NetworkPolicy.Egress = v1alpha1.EgressDeny }, []string{"spec.networkPolicy.egress NetworkPolicy"}},
		{"all egress needs no NetworkPolicy", onlyDeployments, func(s *v1alpha1.MemcachedSpec) { s.NetworkPolicy.Egress = v1alpha1.EgressAllow }, nil},
		{"disabled children are not asked for", onlyDeployments, func(s *v1alpha1.MemcachedSpec) {
			s.PodDisruptionBudget = v1alpha1.PodDisruptionBudget{Enabled: new(false), MinAvailable: new(intstr.FromInt32(1))}
			s.NetworkPolicy = v1alpha1.NetworkPolicy{Enabled: new(false), From: peers}
		}, nil},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		test.change(&memcached.Spec)
		memcached = memcached.WithDefaults()
		errs := validateKinds(&memcached.Spec, field.NewPath("spec"), test.listed)
		if len(errs) != len(test.want) {
			t.Errorf("%s: %v, want %q", test.reason, errs, test.want)
			continue
		}
		for i, err := range errs {
			path, kind, _ := strings.Cut(test.want[i], " ")
			if err.Field != path || !strings.Contains(err.Detail, "requires a "+kind+",") {
				t.Errorf("%s: %v, want the field %s and the kind %s", test.reason, err, path, kind)
			}
		}
	}
}
