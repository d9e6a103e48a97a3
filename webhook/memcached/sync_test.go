package memcached

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func sample(size int32) *Memcached {
	return &Memcached{
		TypeMeta:   metav1.TypeMeta{APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web", Generation: 3},
		Spec:       Spec{Size: &size},
	}
}

func observe(memcached *Memcached) observation {
	return observation{
		Parent: memcached,
		Children: children{Deployments: composite.GroupOf(object.Workload{
			ChildMeta: object.ChildMeta{Name: "cache", Namespace: "web"}, Spec: object.WorkloadSpec{Replicas: new(int32(1))},
		})},
		Related: related{Pods: composite.GroupOf(object.Pod{
			Meta: object.Meta{Name: "cache-1", Namespace: "web", Labels: selectorLabels(memcached)},
		})},
	}
}

// settled is a Memcached whose children are all as desired, and whose pods are ready.
func settled(memcached *Memcached) observation {
	size, now := *memcached.Spec.Size, metav1.NewTime(noon.Time)
	workload := observedAs[object.Workload](workloadOf(memcached, size, "reloader:1"))
	if !memcached.Spec.reloads() {
		workload = observedAs[object.Workload](workloadOf(memcached, size, ""))
	}
	workload.Status = object.WorkloadStatus{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}
	observed := observation{Parent: memcached, Now: now, Children: children{
		Deployments:          composite.GroupOf(workload),
		Services:             composite.GroupOf(observedAs[object.Child](service(memcached))),
		PodDisruptionBudgets: composite.GroupOf(observedAs[object.Child](podDisruptionBudget(memcached, size))),
		NetworkPolicies:      composite.GroupOf(observedAs[object.Child](networkPolicy(memcached))),
	}}
	if memcached.Spec.workload() == StatefulSetWorkload {
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

func TestSyncLeavesItsInputAlone(t *testing.T) {
	observed, again := observe(sample(2)), observe(sample(2))
	observed.Parent.Status.Conditions = []metav1.Condition{{Type: object.Ready, Status: metav1.ConditionTrue}}
	again.Parent.Status.Conditions = []metav1.Condition{{Type: object.Ready, Status: metav1.ConditionTrue}}
	if _, err := (Config{}).sync(observed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again.Parent, observed.Parent); diff != "" {
		t.Errorf("a pure function changed the parent (-before +after):\n%s", diff)
	}
	for pod := range observed.Related.Pods.All() {
		if pod.Name != "cache-1" || len(pod.Labels) != 2 {
			t.Errorf("a pure function changed a pod: %v", pod)
		}
	}
}

func TestValidate(t *testing.T) {
	size := func(n int32) *int32 { return &n }
	cases := []struct {
		reason, name string
		size         *int32
		sentence     string
	}{
		{"a good one", "cache", size(3), ""},
		{"none is a number of pods too", "cache", size(0), ""},
		{"an absent size must not read as 0", "cache", nil, "spec.size: Required"},
		{"less than none", "cache", size(-1), "spec.size: Invalid"},
		{"a name that is no label value", strings.Repeat("a", 64), size(1), "metadata.name"},
		{"a name that is no Service name", "1cache", size(1), "metadata.name"},
		{"a name with a dot", "my.cache", size(1), "metadata.name"},
	}
	for _, test := range cases {
		memcached := sample(0)
		memcached.Name, memcached.Spec.Size = test.name, test.size
		_, err := (Config{}).sync(observe(memcached))
		if test.sentence == "" {
			if err != nil {
				t.Errorf("%s: %v", test.reason, err)
			}
			continue
		}
		parentError, ok := errors.AsType[*composite.ParentError](err)
		if !ok || !strings.Contains(parentError.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}

func TestSyncKeepsTheWorkload(t *testing.T) {
	observed := observe(sample(2))
	observed.Parent.Spec.Workload = StatefulSetWorkload
	_, err := (Config{}).sync(observed)
	if _, ok := errors.AsType[*composite.ParentError](err); !ok {
		t.Errorf("the Deployment that runs would be deleted, with all that is cached: %v", err)
	}
	observed = observe(sample(2))
	observed.Children.StatefulSets, observed.Children.Deployments = observed.Children.Deployments, composite.GroupOf[object.Workload]()
	if _, err = (Config{}).sync(observed); err == nil {
		t.Error("the StatefulSet that runs would be deleted, with all that is cached")
	}
	for _, replicas := range []*int32{nil, new(int32(-1))} {
		observed = observe(sample(2))
		for workload := range observed.Children.Deployments.All() {
			workload.Spec.Replicas = replicas
		}
		_, err = (Config{}).sync(observed)
		if _, ok := errors.AsType[*composite.RequestError](err); !ok {
			t.Errorf("a size that nobody observed would read as none, and a step from there as a few: %v", err)
		}
	}
}

// TestValidateChildren: what the API server would refuse of a child must not look as if it were in place.
func TestValidateChildren(t *testing.T) {
	block := func(cidr string, except ...string) func(*Spec) {
		return func(spec *Spec) {
			spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: except}}}
		}
	}
	cases := []struct {
		reason   string
		edit     func(*Spec)
		sentence string
	}{
		{"a range", block("10.0.0.0/8", "10.1.0.0/16"), ""},
		{"a range of IPv6", block("2001:db8::/32"), ""},
		{"an address is no range", block("10.0.0.0"), "spec.networkPolicy.from[0].ipBlock.cidr"},
		{"what is taken out must be in it", block("10.0.0.0/8", "192.168.0.0/16"), "spec.networkPolicy.from[0].ipBlock.except[0]"},
		{"and not be all of it", block("10.0.0.0/8", "10.0.0.0/8"), "spec.networkPolicy.from[0].ipBlock.except[0]"},
		{"a claim on what no pod has", func(spec *Spec) { spec.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}} }, "spec.resources.claims"},
		{"the exporter's too", func(spec *Spec) { spec.Metrics.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}} }, "spec.metrics.resources.claims"},
		{
			"the label by which Metacontroller knows its children",
			func(spec *Spec) {
				spec.Metrics = Metrics{Enabled: true, ServiceMonitor: &ServiceMonitor{Labels: map[string]LabelValue{"controller-uid": "x"}}}
			},
			"spec.metrics.serviceMonitor.labels",
		},
	}
	for _, test := range cases {
		memcached := sample(1)
		test.edit(&memcached.Spec)
		err := validate(memcached)
		if (err == nil) != (test.sentence == "") || err != nil && !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
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

func TestValidateMemory(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*Spec)
		sentence string
	}{
		{"both are given and too tight: the cache runs, and status says so", func(s *Spec) { s.Cache.MemoryMB, s.Resources = new(int64(64)), limitedTo("80Mi") }, ""},
		{"the least cache fits to the MiB", func(s *Spec) { s.Resources = limitedTo("70Mi") }, ""},
		{"and not under a MiB less", func(s *Spec) { s.Resources = limitedTo("69Mi") }, `spec.resources.limits[memory]: Invalid value: "69Mi": must be at least 70Mi: 16 MiB of items`},
		{"the largest item needs twice its size", func(s *Spec) { s.Resources, s.Cache.MaxItemSize = limitedTo("128Mi"), "64m" }, "must be at least 193Mi: 128 MiB of items"},
		{"the limit follows from the items, and is below the request", func(s *Spec) {
			s.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		}, `spec.resources.requests[memory]: Invalid value: "1Gi": must not be above the limit of 123Mi`},
	}
	for _, test := range cases {
		memcached := sample(1)
		test.change(&memcached.Spec)
		got := ""
		if err := validate(memcached); err != nil {
			got = err.Error()
		}
		if (got == "") != (test.sentence == "") || !strings.Contains(got, test.sentence) {
			t.Errorf("%s: answered with %q, want %q", test.reason, got, test.sentence)
		}
	}
}
