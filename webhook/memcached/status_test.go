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

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

// settled is a Memcached whose children are all as desired, and whose pods are ready.
func settled(memcached *Memcached) observation {
	size, now := *memcached.Spec.Size, metav1.NewTime(noon.Time)
	workload := observedAs[object.Workload](workloadOf(memcached, size, "reloader:1"))
	if !reloads(&memcached.Spec) {
		workload = observedAs[object.Workload](workloadOf(memcached, size, ""))
	}
	workload.Status = object.WorkloadStatus{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}
	observed := observation{Parent: memcached, Now: now, Children: children{
		Deployments:          composite.GroupOf(workload),
		Services:             composite.GroupOf(observedAs[object.Child](service(memcached))),
		PodDisruptionBudgets: composite.GroupOf(observedAs[object.Child](podDisruptionBudget(memcached, size))),
		NetworkPolicies:      composite.GroupOf(observedAs[object.Child](networkPolicy(memcached))),
	}}
	if workloadKind(&memcached.Spec) == StatefulSetWorkload {
		observed.Children.Deployments, observed.Children.StatefulSets = observed.Children.StatefulSets, observed.Children.Deployments
	}
	var pods []object.Pod
	for i := range size {
		pods = append(pods, object.Pod{
			Meta: object.Meta{Name: fmt.Sprintf("cache-%d", i), Namespace: memcached.Namespace, Labels: selectorLabels(memcached)},
			Status: object.PodStatus{
				Conditions: object.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
				ContainerStatuses: []object.ContainerStatus{
					{Name: containerName, Ready: true, State: object.ContainerState{Running: object.ContainerRunning{StartedAt: noon.Add(-time.Hour)}}},
				},
			},
		})
	}
	observed.Related.Pods = composite.GroupOf(pods...)
	return observed
}

// observedAs returns the view of a child once Metacontroller has applied it.
func observedAs[T any](child runtime.Object) T {
	var view T
	applied, err := json.Marshal(child)
	if err == nil {
		annotations := map[string]string{object.LastAppliedAnnotation: string(applied)}
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

func conditionsOf(t *testing.T, config Config, observed observation) map[string]metav1.Condition {
	t.Helper()
	desired, err := config.sync(observed)
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
	going := composite.GroupOf(object.Child{ChildMeta: object.ChildMeta{Name: "cache", Namespace: "web", DeletionTimestamp: &metav1.Time{}}})
	cases := []struct {
		reason string
		edit   func(*observation)
		want   string
	}{
		{"everything is as desired", func(*observation) {}, object.ReasonAllReplicasReady},
		{"clients find no server", func(o *observation) { o.Children.Services = composite.GroupOf[object.Child]() }, "ServiceMissing"},
		{"everybody may connect", func(o *observation) { o.Children.NetworkPolicies = composite.GroupOf[object.Child]() }, "NetworkPolicyMissing"},
		{"a drain may take all pods at the same time", func(o *observation) { o.Children.PodDisruptionBudgets = composite.GroupOf[object.Child]() }, "PodDisruptionBudgetMissing"},
		{"a child that terminates is as good as gone", func(o *observation) { o.Children.Services = going }, "ServiceMissing"},
		{
			"the API server refused an update, and the earlier policy admits more",
			func(o *observation) {
				o.Parent.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}}}
			},
			"NetworkPolicyOutdated",
		},
		{"somebody edited the Deployment by hand", func(o *observation) { o.Parent.Spec.Image = "memcached:1.6.39" }, "DeploymentOutdated"},
		{"no pod is observed", func(o *observation) { o.Related.Pods = composite.GroupOf[object.Pod]() }, object.ReasonRollingOut},
		{
			"all pods crash, and the controller of the Deployment lags behind",
			func(o *observation) {
				for pod := range o.Related.Pods.All() {
					pod.Status.Conditions = nil
				}
			},
			object.ReasonRollingOut,
		},
	}
	for _, test := range cases {
		observed := settled(sample(2))
		test.edit(&observed)
		found := conditionsOf(t, Config{}, observed)
		ready := found[object.Ready]
		if ready.Reason != test.want || (ready.Status == metav1.ConditionTrue) != (test.want == object.ReasonAllReplicasReady) {
			t.Errorf("%s: Ready is %s for %s, want %s", test.reason, ready.Status, ready.Reason, test.want)
		}
	}
}

// TestInvalidSpec: what runs stays exactly as it was applied, whatever spec says, and status says why.
func TestInvalidSpec(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*Memcached)
	}{
		{"a size that is none", func(m *Memcached) { m.Spec.Size = nil }},
		{"an image besides what is invalid", func(m *Memcached) { m.Spec.Image, m.Spec.Cache.ExtraArgs = "other:1", []string{"-p"} }},
		{"another kind of workload", func(m *Memcached) { m.Spec.Workload = StatefulSetWorkload }},
		{"no policy any more, besides what is invalid", func(m *Memcached) { m.Spec.NetworkPolicy.Enabled, m.Spec.Size = new(false), new(int32(-1)) }},
	}
	for _, test := range cases {
		observed := settled(sample(2))
		applied, err := (Config{}).sync(settled(sample(2)))
		if err != nil {
			t.Fatal(err)
		}
		test.edit(observed.Parent)
		desired, err := (Config{}).sync(observed)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if diff := cmp.Diff(specs(t, applied.Children), specs(t, desired.Children)); diff != "" {
			t.Errorf("%s: the children change (-applied +returned):\n%s", test.reason, diff)
		}
		for _, condition := range desired.Status.Conditions {
			if (condition.Type == object.Ready || condition.Type == object.Degraded) && condition.Reason != object.ReasonInvalidSpec {
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
	desired, err := (Config{}).sync(observation{Parent: &Memcached{ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web"}}})
	if err != nil || len(desired.Children) > 0 {
		t.Errorf("%d children, %v", len(desired.Children), err)
	}
}
