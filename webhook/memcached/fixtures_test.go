package memcached

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// ago returns the time so many seconds before noon.
func ago(seconds int) *metav1.Time {
	return new(metav1.NewTime(noon.Add(-time.Duration(seconds) * time.Second)))
}

// noChildren returns the children if the CompositeController lists every kind and no child exists.
func noChildren() childGroups {
	return childGroups{
		Deployments:          composite.GroupOf[observed.Workload](),
		StatefulSets:         composite.GroupOf[observed.Workload](),
		Services:             composite.GroupOf[observed.Child](),
		PodDisruptionBudgets: composite.GroupOf[observed.Child](),
		NetworkPolicies:      composite.GroupOf[observed.Child](),
		Jobs:                 composite.GroupOf[observed.Job](),
		ServiceMonitors:      composite.GroupOf[observed.Child](),
	}
}

// observe returns a request with a Deployment of one replica, and one pod.
func observe(memcached *v1alpha1.Memcached) syncRequest {
	groups := noChildren()
	groups.Deployments = composite.GroupOf(observed.Workload{
		ChildMeta: observed.ChildMeta{Name: "cache", Namespace: "web"}, Spec: observed.WorkloadSpec{Replicas: new(int32(1))},
	})
	return syncRequest{
		Parent:   memcached,
		Children: groups,
		Related: relatedGroups{Pods: composite.GroupOf(observed.Pod{
			Meta: observed.Meta{Name: "cache-1", Namespace: "web", Labels: children.SelectorLabels(memcached)},
		})},
	}
}

// settled returns the request of a Memcached whose children are as desired, and whose pods are ready.
func settled(memcached *v1alpha1.Memcached) syncRequest {
	if memcached.Spec.NeedsReloader() {
		return settledWith(memcached, "reloader:1")
	}
	return settledWith(memcached, "")
}

// settledWith returns such a request whose pods have an image of the reloader; "" if they have none.
func settledWith(memcached *v1alpha1.Memcached, image string) syncRequest {
	memcached.Default()
	size, now := *memcached.Spec.Size, metav1.NewTime(noon.Time)
	var existing observed.Workload
	request := syncRequest{Parent: memcached, Now: now, Children: noChildren()}
	images := children.Images{Memcached: children.DefaultImage, Exporter: children.DefaultExporterImage, Reloader: image}
	template := children.PodTemplate(memcached, images, memory.Of(&memcached.Spec))
	for _, child := range children.Children(memcached, template, scaling.Decision{Run: scaling.Servers{Count: size}}, nil) {
		switch child.GetObjectKind().GroupVersionKind().Kind {
		case "Service":
			request.Children.Services = composite.GroupOf(requests.Applied[observed.Child](child))
		case "PodDisruptionBudget":
			request.Children.PodDisruptionBudgets = composite.GroupOf(requests.Applied[observed.Child](child))
		case "NetworkPolicy":
			request.Children.NetworkPolicies = composite.GroupOf(requests.Applied[observed.Child](child))
		case string(memcached.Spec.Workload):
			existing = requests.Applied[observed.Workload](child)
		}
	}
	existing.Status = observed.WorkloadStatus{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}
	request.Children.Deployments = composite.GroupOf(existing)
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		request.Children.Deployments, request.Children.StatefulSets = request.Children.StatefulSets, request.Children.Deployments
	}
	var pods []observed.Pod
	for i := range size {
		pods = append(pods, observed.Pod{
			Meta: observed.Meta{Name: fmt.Sprintf("cache-%d", i), Namespace: memcached.Namespace, Labels: children.SelectorLabels(memcached)},
			Status: observed.PodStatus{
				Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
				ContainerStatuses: []observed.ContainerStatus{
					{Name: children.ContainerName, Ready: true, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-time.Hour)}}},
				},
			},
		})
	}
	request.Related.Pods = composite.GroupOf(pods...)
	return request
}

// reloaderExit returns the status of a reloader that exited half a minute before noon, and has run since.
func reloaderExit(code int32, message string) observed.ContainerStatus {
	exited := noon.Add(-30 * time.Second)
	return observed.ContainerStatus{
		Name: children.ReloaderName, Ready: true,
		State:     observed.ContainerState{Running: observed.ContainerRunning{StartedAt: exited}},
		LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: code, Message: message, FinishedAt: metav1.NewTime(exited)}},
	}
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
