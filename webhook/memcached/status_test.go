package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestReadyNeedsEveryChild checks that Ready requires every child. Metacontroller does not report in a status that the name
// of a child is in use, or that the API server refuses a child.
func TestReadyNeedsEveryChild(t *testing.T) {
	terminating := composite.GroupOf(observed.Child{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "cache", Namespace: "web", DeletionTimestamp: &metav1.Time{}}}})
	cases := []struct {
		reason string
		edit   func(*syncRequest)
		want   string
	}{
		{"all children are as desired", func(*syncRequest) {}, "AllReplicasReady"},
		{"there is no Service", func(o *syncRequest) { o.Children.Services = composite.GroupOf[observed.Child]() }, "ServiceMissing"},
		{"there is no NetworkPolicy", func(o *syncRequest) { o.Children.NetworkPolicies = composite.GroupOf[observed.Child]() }, "NetworkPolicyMissing"},
		{"there is no PodDisruptionBudget", func(o *syncRequest) { o.Children.PodDisruptionBudgets = composite.GroupOf[observed.Child]() }, "PodDisruptionBudgetMissing"},
		{"the Service is terminating", func(o *syncRequest) { o.Children.Services = terminating }, "ServiceMissing"},
		{
			"the API server refused an update of the NetworkPolicy",
			func(o *syncRequest) {
				o.Parent.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}}}
			},
			"NetworkPolicyOutdated",
		},
		{"the Deployment was edited manually", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, "DeploymentOutdated"},
		{"no pods are observed", func(o *syncRequest) { o.Related.Pods = composite.GroupOf[observed.Pod]() }, "RollingOut"},
		{
			"no pod is ready, but the status of the Deployment is outdated",
			func(o *syncRequest) {
				for pod := range o.Related.Pods.All() {
					pod.Status.Conditions = nil
				}
			},
			"RollingOut",
		},
	}
	for _, test := range cases {
		request := settled(sample.New(2))
		test.edit(&request)
		found := conditionsOf(t, Config{}, request)
		ready := found[api.Ready]
		if ready.Reason != test.want || (ready.Status == metav1.ConditionTrue) != (test.want == "AllReplicasReady") {
			t.Errorf("%s: Ready is %s for %s, want %s", test.reason, ready.Status, ready.Reason, test.want)
		}
	}
}

// TestPartOfPodsMissing checks that a StatefulSet reports that a quota refuses two of its five pods, although three of them serve.
func TestPartOfPodsMissing(t *testing.T) {
	memcached := sample.New(5)
	memcached.Spec.Workload = v1alpha1.StatefulSetWorkload
	request := settled(memcached)
	for workload := range request.Children.StatefulSets.All() {
		workload.Status = observed.WorkloadStatus{Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3}
	}
	var created []observed.Pod
	for pod := range request.Related.Pods.All() {
		if pod.Name < "cache-3" {
			created = append(created, *pod)
		}
	}
	request.Related.Pods = composite.GroupOf(created...)
	memcached.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: *ago(61)}}
	found := conditionsOf(t, Config{}, request)
	const message = "StatefulSet cache has 3 of 5 pods. Likely causes are a ResourceQuota, Pod Security, an admission webhook or a missing service account. " +
		"Check its Events: kubectl describe statefulset cache -n web"
	for _, kind := range []string{api.Degraded, api.Ready, api.Stalled} {
		if got := found[kind]; got.Reason != "PodsMissing" || got.Message != message {
			t.Errorf("%s is %+v, want %q", kind, got, message)
		}
	}
	if found[api.Available].Status != metav1.ConditionTrue {
		t.Errorf("Available is %+v, want True", found[api.Available])
	}
}

// TestInvalidSpecWithoutChildren checks that no children are created for an invalid spec, and that its lists are not null: the API server
// removes a null, so Metacontroller would write the status at every sync.
func TestInvalidSpecWithoutChildren(t *testing.T) {
	for _, workload := range []v1alpha1.Workload{v1alpha1.DeploymentWorkload, v1alpha1.StatefulSetWorkload} {
		memcached := &v1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web"}, Spec: v1alpha1.MemcachedSpec{Workload: workload}}
		desired, err := (Config{}).sync(syncRequest{Parent: memcached})
		if err != nil || len(desired.Children) > 0 {
			t.Errorf("%s: %d children and error %v, want none", workload, len(desired.Children), err)
		}
		if desired.Status.Servers == nil || desired.Status.Nodes == nil {
			t.Errorf("%s: servers %#v and nodes %#v, want empty lists", workload, desired.Status.Servers, desired.Status.Nodes)
		}
	}
}

// TestAvailableOfMemcachedContainer checks that Available depends on the memcached container only. The pod is not ready
// while the exporter or the reloader is not ready.
func TestAvailableOfMemcachedContainer(t *testing.T) {
	cases := []struct {
		reason    string
		ready     string // the reason why the pod is not ready; "" if it is ready
		container bool
		want      string
	}{
		{"memcached is ready, but another container is not", "ContainersNotReady", true, "Serving"},
		{"memcached is not ready", "ContainersNotReady", false, "NoReplicaReady"},
		{"the status of the workload does not count the ready pod yet", "", true, "ReplicaReady"},
		{"the node is not reachable", "NodeNotReady", true, "NoReplicaReady"},
	}
	for _, test := range cases {
		request := settled(sample.New(2))
		for workload := range request.Children.Deployments.All() {
			workload.Status.ReadyReplicas = 0
		}
		for pod := range request.Related.Pods.All() {
			pod.Status.ContainerStatuses[0].Ready = test.container
			if test.ready != "" {
				pod.Status.Conditions = observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: test.ready}}
			}
		}
		if got := conditionsOf(t, Config{}, request)[api.Available]; got.Reason != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}

// TestInvalidSpecKeepsServerNames checks that the servers stay names while the StatefulSet is not observed. Their number is also how
// many pods the next customize response selects.
func TestInvalidSpecKeepsServerNames(t *testing.T) {
	request := settled(sample.Proxied(3))
	memcached := request.Parent
	memcached.Spec.Proxy.Replicas = new(int32(0)) // invalid
	names := children.ServerNames(memcached, DefaultClusterDomain, scaling.Range{Count: 3}.Ordinals())
	memcached.Status.Servers = names
	request.Children.StatefulSets = composite.GroupOf[observed.Workload]()
	got, err := (Config{}).sync(request)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names, got.Status.Servers); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
}

// TestInvalidSpecHasTheServersOfTheStatefulSet checks that the servers follow the observed StatefulSet, whatever its number of replicas is.
func TestInvalidSpecHasTheServersOfTheStatefulSet(t *testing.T) {
	for replicas, want := range map[int32]int{-1: 0, 0: 0, 2: 2, scaling.MaxServers + 1: scaling.MaxServers} {
		memcached := sample.New(3)
		memcached.Spec.Workload = v1alpha1.StatefulSetWorkload
		request := settled(memcached)
		memcached.Spec.Cache.MaxConnections = new(int64(0)) // invalid
		for workload := range request.Children.StatefulSets.All() {
			workload.Spec.Replicas = &replicas
		}
		got, err := (Config{}).sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(children.ServerNames(memcached, DefaultClusterDomain, scaling.Range{Count: int32(want)}.Ordinals()), got.Status.Servers); diff != "" {
			t.Errorf("a StatefulSet with %d replicas: servers (-want +got):\n%s", replicas, diff)
		}
	}
}
