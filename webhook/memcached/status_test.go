package memcached

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

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
	names := children.ServerNames(memcached, DefaultClusterDomain, moves.Range{Count: 3}.List())
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
	for replicas, want := range map[int32]int{-1: 0, 0: 0, 2: 2, moves.MaxPods + 1: moves.MaxPods} {
		memcached := sample.New(3)
		memcached.Spec.Workload = v1alpha1.StatefulSetWorkload
		request := settled(memcached)
		memcached.Spec.Cache.MaxConnections = new(int64(0)) // invalid
		for workload := range request.Children.StatefulSets.All() {
			workload.Spec.Replicas, workload.Spec.Ordinals.Start = &replicas, math.MaxInt32 // an edit by hand, which is set back
		}
		got, err := (Config{}).sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(children.ServerNames(memcached, DefaultClusterDomain, moves.Range{Count: int32(want)}.List()), got.Status.Servers); diff != "" {
			t.Errorf("a StatefulSet with %d replicas: servers (-want +got):\n%s", replicas, diff)
		}
	}
}
