package memcached

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// settled is a Memcached whose children are all as desired, and whose pods are ready.
func settled(memcached *v1alpha1.Memcached) syncRequest {
	size, now := *memcached.Spec.Size, metav1.NewTime(noon.Time)
	present := observedAs[observed.Workload](workload(memcached, planOf(memcached, size, "reloader:1")))
	if !reloads(&memcached.Spec) {
		present = observedAs[observed.Workload](workload(memcached, planOf(memcached, size, "")))
	}
	present.Status = observed.WorkloadStatus{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}
	request := syncRequest{Parent: memcached, Now: now, Children: childGroups{
		Deployments:          composite.GroupOf(present),
		Services:             composite.GroupOf(observedAs[observed.Child](service(memcached))),
		PodDisruptionBudgets: composite.GroupOf(observedAs[observed.Child](podDisruptionBudget(memcached, size))),
		NetworkPolicies:      composite.GroupOf(observedAs[observed.Child](networkPolicy(memcached))),
	}}
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		request.Children.Deployments, request.Children.StatefulSets = request.Children.StatefulSets, request.Children.Deployments
	}
	var pods []observed.Pod
	for i := range size {
		pods = append(pods, observed.Pod{
			Meta: observed.Meta{Name: fmt.Sprintf("cache-%d", i), Namespace: memcached.Namespace, Labels: selectorLabels(memcached)},
			Status: observed.PodStatus{
				Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
				ContainerStatuses: []observed.ContainerStatus{
					{Name: containerName, Ready: true, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-time.Hour)}}},
				},
			},
		})
	}
	request.Related.Pods = composite.GroupOf(pods...)
	return request
}

// observedAs returns the view of a child once Metacontroller has applied it.
func observedAs[T any](child runtime.Object) T {
	var view T
	applied, err := json.Marshal(child)
	if err == nil {
		annotations := map[string]string{observed.LastAppliedAnnotation: string(applied)}
		maps.Copy(annotations, child.(metav1.Object).GetAnnotations())
		child.(metav1.Object).SetAnnotations(annotations)
		applied, err = json.Marshal(child)
	}
	if err == nil {
		err = jsonv2.Unmarshal(applied, &view)
	}
	if err != nil {
		panic(err)
	}
	return view
}

func conditionsOf(t *testing.T, config Config, request syncRequest) map[string]metav1.Condition {
	t.Helper()
	desired, err := config.sync(request)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]metav1.Condition{}
	for _, condition := range desired.Status.Conditions {
		found[condition.Type] = condition
	}
	return found
}

// TestReadyNeedsEveryChild: Metacontroller reports neither that the name of a child is taken nor, in a status, that the API
// server refuses one.
func TestReadyNeedsEveryChild(t *testing.T) {
	going := composite.GroupOf(observed.Child{ChildMeta: observed.ChildMeta{Name: "cache", Namespace: "web", DeletionTimestamp: &metav1.Time{}}})
	cases := []struct {
		reason string
		edit   func(*syncRequest)
		want   string
	}{
		{"everything is as desired", func(*syncRequest) {}, conditions.ReasonAllReplicasReady},
		{"clients find no server", func(o *syncRequest) { o.Children.Services = composite.GroupOf[observed.Child]() }, "ServiceMissing"},
		{"everybody may connect", func(o *syncRequest) { o.Children.NetworkPolicies = composite.GroupOf[observed.Child]() }, "NetworkPolicyMissing"},
		{"a drain may take all pods at the same time", func(o *syncRequest) { o.Children.PodDisruptionBudgets = composite.GroupOf[observed.Child]() }, "PodDisruptionBudgetMissing"},
		{"a child that terminates is as good as gone", func(o *syncRequest) { o.Children.Services = going }, "ServiceMissing"},
		{
			"the API server refused an update, and the earlier policy admits more",
			func(o *syncRequest) {
				o.Parent.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}}}
			},
			"NetworkPolicyOutdated",
		},
		{"somebody edited the Deployment by hand", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, "DeploymentOutdated"},
		{"no pod is observed", func(o *syncRequest) { o.Related.Pods = composite.GroupOf[observed.Pod]() }, conditions.ReasonRollingOut},
		{
			"all pods crash, and the controller of the Deployment lags behind",
			func(o *syncRequest) {
				for pod := range o.Related.Pods.All() {
					pod.Status.Conditions = nil
				}
			},
			conditions.ReasonRollingOut,
		},
	}
	for _, test := range cases {
		request := settled(sample(2))
		test.edit(&request)
		found := conditionsOf(t, Config{}, request)
		ready := found[api.Ready]
		if ready.Reason != test.want || (ready.Status == metav1.ConditionTrue) != (test.want == conditions.ReasonAllReplicasReady) {
			t.Errorf("%s: Ready is %s for %s, want %s", test.reason, ready.Status, ready.Reason, test.want)
		}
	}
}

// TestInvalidSpec: what runs stays exactly as it was applied, whatever spec says, and status says why.
func TestInvalidSpec(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*v1alpha1.Memcached)
	}{
		{"a size that is none", func(m *v1alpha1.Memcached) { m.Spec.Size = nil }},
		{"an image besides what is invalid", func(m *v1alpha1.Memcached) { m.Spec.Image, m.Spec.Cache.ExtraArgs = "other:1", []string{"-p"} }},
		{"another kind of workload", func(m *v1alpha1.Memcached) { m.Spec.Workload = v1alpha1.StatefulSetWorkload }},
		{"no policy any more, besides what is invalid", func(m *v1alpha1.Memcached) { m.Spec.NetworkPolicy.Enabled, m.Spec.Size = new(false), new(int32(-1)) }},
	}
	for _, test := range cases {
		request := settled(sample(2))
		applied, err := (Config{}).sync(settled(sample(2)))
		if err != nil {
			t.Fatal(err)
		}
		test.edit(request.Parent)
		desired, err := (Config{}).sync(request)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if diff := cmp.Diff(specs(t, applied.Children), specs(t, desired.Children)); diff != "" {
			t.Errorf("%s: the children change (-applied +returned):\n%s", test.reason, diff)
		}
		for _, condition := range desired.Status.Conditions {
			if (condition.Type == api.Ready || condition.Type == api.Degraded) && condition.Reason != conditions.ReasonInvalidSpec {
				t.Errorf("%s: %v", test.reason, condition)
			}
		}
		if diff := cmp.Diff([]string{"cache-0", "cache-1"}, desired.Status.Nodes); diff != "" {
			t.Errorf("%s: clients still need the servers (-want +got):\n%s", test.reason, diff)
		}
	}
}

// specs returns the children as JSON, by kind.
func specs(t *testing.T, children []runtime.Object) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, child := range children {
		text, err := json.Marshal(child)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "status")
		all[child.GetObjectKind().GroupVersionKind().Kind] = fields
	}
	return all
}

// TestInvalidSpecWithoutChildren: nothing is created from a spec that is invalid.
func TestInvalidSpecWithoutChildren(t *testing.T) {
	desired, err := (Config{}).sync(syncRequest{Parent: &v1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web"}}})
	if err != nil || len(desired.Children) > 0 {
		t.Errorf("%d children, %v", len(desired.Children), err)
	}
}
