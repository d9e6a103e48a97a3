package memcached

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func monitored(spec *v1alpha1.MemcachedSpec) {
	spec.Metrics = v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{}}
}

func TestDesiredChildren(t *testing.T) {
	cases := []struct {
		reason   string
		replicas int32
		change   func(*v1alpha1.MemcachedSpec)
		monitors bool
		want     []string
	}{
		{"one pod needs no budget", 1, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"two do", 2, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"stable names", 2, func(s *v1alpha1.MemcachedSpec) { s.Workload = v1alpha1.StatefulSetWorkload }, false, []string{"StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"}},
		{"what is turned off is not there", 2, func(s *v1alpha1.MemcachedSpec) {
			s.PodDisruptionBudget.Enabled, s.NetworkPolicy.Enabled = new(false), new(false)
		}, false, []string{"Deployment", "Service"}},
		{"a ServiceMonitor where there are metrics", 1, monitored, true, []string{"Deployment", "Service", "NetworkPolicy", "ServiceMonitor"}},
		{"not where nobody would delete it again", 1, monitored, false, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"nor where nothing exports", 1, func(s *v1alpha1.MemcachedSpec) { monitored(s); s.Auth = &v1alpha1.Auth{Mode: v1alpha1.AuthASCII} }, true, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"nor where it was not asked for", 1, func(s *v1alpha1.MemcachedSpec) { s.Metrics.Enabled = true }, true, []string{"Deployment", "Service", "NetworkPolicy"}},
		{"no pods", 0, func(*v1alpha1.MemcachedSpec) {}, false, []string{"Deployment", "Service", "NetworkPolicy"}},
	}
	for _, test := range cases {
		memcached := sample(test.replicas)
		test.change(&memcached.Spec)
		var got []string
		request := &childGroups{}
		if test.monitors {
			request.ServiceMonitors.Group = composite.GroupOf[observed.Child]()
		}
		for _, child := range desiredChildren(memcached, planOf(memcached, test.replicas, ""), request) {
			got = append(got, child.GetObjectKind().GroupVersionKind().Kind)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestServiceKeepsForeignAnnotations: Metacontroller removes a whole map that is not desired any more.
func TestServiceKeepsForeignAnnotations(t *testing.T) {
	memcached := sample(1)
	never := observedAs[observed.Child](service(memcached))
	if _, typed := keepForeignAnnotations(service(memcached), &never).(*corev1.Service); !typed {
		t.Error("a Service that never had annotations needs no map")
	}
	memcached.Spec.Service.Annotations = map[string]string{"a": "b"}
	request := observedAs[observed.Child](service(memcached))
	memcached.Spec.Service.Annotations = nil
	for range 3 {
		child := keepForeignAnnotations(service(memcached), &request)
		text, err := json.Marshal(child)
		if err != nil || !strings.Contains(string(text), `"annotations":{}`) {
			t.Fatalf("the Service is %s, %v", text, err)
		}
		request = observedAs[observed.Child](child)
	}
}

func TestNetworkPolicyOfNobodyIsNotOfEverybody(t *testing.T) {
	memcached := sample(1)
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{}
	want := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	if diff := cmp.Diff(want, networkPolicy(memcached).Spec.Ingress[0].From); diff != "" {
		t.Errorf("an empty list of peers lets everybody in (-want +got):\n%s", diff)
	}
}

func TestPodDisruptionBudget(t *testing.T) {
	one, half := intstr.FromInt32(1), intstr.FromString("50%")
	cases := []struct {
		reason                       string
		given                        v1alpha1.PodDisruptionBudget
		minAvailable, maxUnavailable *intstr.IntOrString
	}{
		{"one pod may go by default", v1alpha1.PodDisruptionBudget{}, nil, &one},
		{"what must stay says what may go", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, &half, nil},
		{"more may go", v1alpha1.PodDisruptionBudget{MaxUnavailable: &half}, nil, &half},
	}
	for _, test := range cases {
		memcached := sample(2)
		memcached.Spec.PodDisruptionBudget = test.given
		spec := podDisruptionBudget(memcached, 2).Spec
		if diff := cmp.Diff([]*intstr.IntOrString{test.minAvailable, test.maxUnavailable}, []*intstr.IntOrString{spec.MinAvailable, spec.MaxUnavailable}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestPodLabelsKeepOurs(t *testing.T) {
	memcached := sample(1)
	memcached.Spec.PodLabels = map[string]v1alpha1.LabelValue{"app": "other", "team": "shop"}
	got := podTemplate(memcached, planOf(memcached, 1, "")).Labels
	if got["app"] != "memcached" || got["team"] != "shop" {
		t.Errorf("the selector would not match the pods' labels %v", got)
	}
}

func TestSpread(t *testing.T) {
	memcached := sample(1)
	for _, constraint := range spread(memcached) {
		if constraint.WhenUnsatisfiable != corev1.ScheduleAnyway {
			t.Errorf("by default, a cluster of one node takes all pods: %v", constraint)
		}
	}
	given := corev1.TopologySpreadConstraint{MaxSkew: 2, TopologyKey: "rack", WhenUnsatisfiable: corev1.DoNotSchedule}
	memcached.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{given}
	got := spread(memcached)
	if len(got) != 1 || got[0].LabelSelector == nil || got[0].TopologyKey != "rack" {
		t.Errorf("a constraint that was given stands alone, and is about the cache's own pods: %v", got)
	}
	if memcached.Spec.TopologySpreadConstraints[0].LabelSelector != nil {
		t.Error("the spec was changed")
	}
}

func TestSecurityContexts(t *testing.T) {
	pod := podSecurityContext(&corev1.PodSecurityContext{RunAsUser: new(int64(1000700000)), SupplementalGroups: []int64{7}})
	if *pod.RunAsUser != 1000700000 || !*pod.RunAsNonRoot || *pod.FSGroup != userID || len(pod.SupplementalGroups) != 1 {
		t.Errorf("what is given wins, and what is not stays restricted: %v", pod)
	}
	container := containerSecurityContext(&corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"IPC_LOCK"}}})
	if len(container.Capabilities.Drop) != 1 || len(container.Capabilities.Add) != 1 || *container.AllowPrivilegeEscalation {
		t.Errorf("what is given wins, deep down too: %v", container)
	}
	for reason, given := range map[string]*corev1.SecurityContext{
		"privileged":    {Privileged: new(true)},
		"CAP_SYS_ADMIN": {Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN"}}},
	} {
		if got := containerSecurityContext(given); got.AllowPrivilegeEscalation != nil {
			t.Errorf("%s: the API server refuses it beside allowPrivilegeEscalation: %t", reason, *got.AllowPrivilegeEscalation)
		}
	}
	if again := containerSecurityContext(nil); len(again.Capabilities.Add) != 0 {
		t.Error("the default was changed")
	}
}
