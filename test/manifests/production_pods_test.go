package manifests

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestProductionIsRestricted checks that the production pod meets the restricted standard, and that the hook has no RBAC
// permission.
func TestProductionIsRestricted(t *testing.T) {
	objects := production(t)
	deployment := only[appsv1.Deployment](t, objects, "Deployment")
	expectRestricted(t, deployment.Spec.Template.ObjectMeta, deployment.Spec.Template.Spec)
	if token := deployment.Spec.Template.Spec.AutomountServiceAccountToken; token == nil || *token {
		t.Error("the pod mounts a service account token")
	}
	// All bindings are those of Metacontroller. One allows it to read the credentials.
	want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: "metacontroller", Namespace: "metacontroller"}}
	for _, binding := range find[rbacv1.ClusterRoleBinding](t, objects, "ClusterRoleBinding") {
		if diff := cmp.Diff(want, binding.Subjects); diff != "" {
			t.Errorf("%s has other subjects (-want +got):\n%s", binding.Name, diff)
		}
	}
	rules := rulesOf(t, find[rbacv1.ClusterRole](t, objects, "ClusterRole"), "memcached-operator-metacontroller-secrets")
	compareGrants(t, "the role for credentials", allow("", "secrets", "list", "watch"), permissions(t, rules))
	if n := len(find[rbacv1.RoleBinding](t, objects, "RoleBinding")); n > 0 {
		t.Errorf("%d role bindings, want none", n)
	}
}

// TestProductionNetwork checks that only Metacontroller can connect to the hooks, only Prometheus to the metrics, and that the
// hook can connect to nothing.
func TestProductionNetwork(t *testing.T) {
	objects := production(t)
	template := only[appsv1.Deployment](t, objects, "Deployment").Spec.Template
	policy := only[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy")
	if selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector); err != nil || !selector.Matches(labels.Set(template.Labels)) {
		t.Errorf("the policy does not select the hook's pods: %v", err)
	}
	if !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) || !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
		t.Errorf("the policy has the types %v, want Ingress and Egress", policy.Spec.PolicyTypes)
	}
	if len(policy.Spec.Egress) > 0 {
		t.Error("the policy allows egress")
	}
	allowed := map[string]string{}
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			if len(rule.From) != 1 || rule.From[0].PodSelector == nil || rule.From[0].NamespaceSelector == nil {
				t.Fatalf("port %s: the policy must select one peer by pod and namespace labels", port.Port)
			}
			allowed[port.Port.String()] = metav1.FormatLabelSelector(rule.From[0].NamespaceSelector) + " " + metav1.FormatLabelSelector(rule.From[0].PodSelector)
		}
	}
	want := map[string]string{
		"http": "kubernetes.io/metadata.name=metacontroller app.kubernetes.io/name in (metacontroller,metacontroller-helm)",
		"ops":  "kubernetes.io/metadata.name=monitoring app.kubernetes.io/name=prometheus",
	}
	if diff := cmp.Diff(want, allowed); diff != "" {
		t.Errorf("the policy allows other callers (-want +got):\n%s", diff)
	}
	for name := range want {
		if !slices.ContainsFunc(template.Spec.Containers[0].Ports, func(port corev1.ContainerPort) bool { return port.Name == name }) {
			t.Errorf("the pod has no port %s", name)
		}
	}
}

// TestProductionAvailability checks that a disruption leaves one hook, and that a terminating pod has the time to drain.
func TestProductionAvailability(t *testing.T) {
	objects := production(t)
	deployment := only[appsv1.Deployment](t, objects, "Deployment")
	spec := deployment.Spec.Template.Spec
	checkRollout(t, &deployment.Spec)
	budget := only[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget")
	if selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector); err != nil || !selector.Matches(labels.Set(deployment.Spec.Template.Labels)) {
		t.Errorf("the PodDisruptionBudget does not select the hook's pods: %v", err)
	}
	if available := budget.Spec.MinAvailable; available == nil || *available != intstr.FromInt32(1) {
		t.Errorf("minAvailable is %v, want 1: 0 protects no pod, and 2 blocks the drain of nodes", available)
	}
	if len(spec.TopologySpreadConstraints) == 0 {
		t.Error("topologySpreadConstraints are missing")
	}
	for _, spread := range spec.TopologySpreadConstraints {
		if selector, err := metav1.LabelSelectorAsSelector(spread.LabelSelector); err != nil || !selector.Matches(labels.Set(deployment.Spec.Template.Labels)) {
			t.Errorf("the constraint on %s does not select the hook's pods: %v", spread.TopologyKey, err)
		}
	}
	checkDrain(t, spec)
	if stop := spec.Containers[0].Lifecycle; stop == nil || stop.PreStop == nil || stop.PreStop.Sleep == nil || stop.PreStop.Sleep.Seconds < 1 {
		t.Error("preStop is missing, so the pod gets SIGTERM before every node has removed its endpoint")
	}
}

// checkRollout checks that a rollout of the hook never leaves fewer good pods.
func checkRollout(t *testing.T, spec *appsv1.DeploymentSpec) {
	t.Helper()
	if *spec.Replicas < 2 || spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("%d replicas with maxUnavailable %s, want at least 2 replicas and 0", *spec.Replicas, spec.Strategy.RollingUpdate.MaxUnavailable)
	}
	if spec.MinReadySeconds <= 10 {
		t.Errorf("minReadySeconds is %d, want more than 10: a pod that dies after a moment would replace a good one", spec.MinReadySeconds)
	}
}
