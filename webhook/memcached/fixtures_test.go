package memcached

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
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
		ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "cache", Namespace: "web"}}, Spec: observed.WorkloadSpec{Replicas: new(int32(1))},
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
	return settledDefaults(memcached, children.ReleaseDefaults{Images: children.Images{Reloader: image}})
}

// settledDefaults returns such a request whose pods have the defaults of an operator, with the default images of this one.
func settledDefaults(memcached *v1alpha1.Memcached, defaults children.ReleaseDefaults) syncRequest {
	defaulted, size := memcached.WithDefaults(), *memcached.Spec.Size
	defaults.Memcached, defaults.Exporter = children.DefaultImage, children.DefaultExporterImage
	template := children.PodTemplate(defaulted, defaults, memory.Of(&defaulted.Spec))
	request := syncRequest{Parent: memcached, Now: noon}
	request.Children = applied(children.Children(&children.Input{Memcached: defaulted, Template: template, Decision: moves.Decision{Ordinals: moves.Range{Count: size}}}))
	var pods []observed.Pod
	for i := range size {
		pod := readyPod(fmt.Sprintf("cache-%d", i), children.SelectorLabels(memcached))
		pod.Status.ContainerStatuses = []observed.ContainerStatus{
			{Name: children.ContainerName, Ready: true, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-time.Hour)}}},
		}
		pods = append(pods, pod)
	}
	request.Related.Pods = composite.GroupOf(pods...)
	return request
}

// proxyConfig lets Jobs run.
var proxyConfig = Config{OperatorImage: "operator:1"}

// proxied returns the request of a cache whose proxies have had the routes of a label for an hour. Its children are as desired, a Job has just
// begun, and its pods are ready. Servers that items move from have an earlier template than those of another range.
func proxied(t *testing.T, size int32, label string, edits ...func(*v1alpha1.MemcachedSpec)) syncRequest {
	t.Helper()
	memcached, routes := sample.Proxied(size), moves.ParseRoutes(label)
	for _, edit := range edits {
		edit(&memcached.Spec)
	}
	began, rollout := noon.Add(-time.Hour), v1alpha1.Revision{Created: *ago(3600), Number: 7}
	request := syncRequest{Parent: memcached, Now: noon, Children: noChildren()}
	o := Config{}.observe(&request)
	templates, err := proxyConfig.templates(o)
	if err != nil {
		t.Fatal(err)
	}
	run := moves.Range{First: routes.From.Slots.First, Count: max(routes.From.Span().End(), routes.To.Span().End()) - routes.From.Slots.First}
	d := moves.Decision{Ordinals: run, Routes: routes, ProxyReplicas: *memcached.Spec.Proxy.Replicas}
	if routes.Replaces() {
		d.Partition = routes.From.Slots.Count
	}
	if routes.Phase == moves.Warming || routes.Phase == moves.Announcing && routes.To.Slots.Count < routes.From.Slots.Count {
		d.Job = moves.DesiredJob{Routes: routes, Rollout: rollout.String()}
	}
	request.Children = applied(proxyConfig.build(o, templates, d).all())
	set := request.Children.StatefulSets.Get("web", "cache")
	deployment := request.Children.Deployments.Get("web", "cache-proxy")
	set.CreationTimestamp, set.Status.UpdateRevision, deployment.CreationTimestamp = began, "new", began
	deployment.Annotations["deployment.kubernetes.io/revision"] = "7"
	for job := range request.Children.Jobs.All() {
		job.CreationTimestamp = noon.Time
	}
	var pods []observed.Pod
	for ordinal := run.First; ordinal < run.End(); ordinal++ {
		pod := readyPod(fmt.Sprintf("cache-%d", ordinal), children.SelectorLabels(memcached))
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = "new"
		if routes.Replaces() && routes.From.Has(ordinal) {
			pod.Labels[appsv1.ControllerRevisionHashLabelKey] = "old"
		}
		pods = append(pods, pod)
	}
	for i := range d.ProxyReplicas {
		pods = append(pods, readyPod(fmt.Sprintf("cache-proxy-%d", i), proxy.PodLabels(memcached, routes)))
	}
	request.Related.Pods = composite.GroupOf(pods...)
	memcached.Status.ObservedGeneration, memcached.Status.Replicas = memcached.Generation, size
	memcached.Status.Servers = children.ServerNames(memcached, DefaultClusterDomain, run.List())
	memcached.Status.Proxy = &v1alpha1.ProxyStatus{LastChangeTime: ago(3600), LastDecision: v1alpha1.ProxyDecision{Routes: label, Observed: rollout}}
	return request
}

// applied returns children as they are observed when their controllers have done their work.
func applied(desired []runtime.Object) childGroups {
	groups := noChildren()
	for _, child := range desired {
		switch child.(type) {
		case *appsv1.Deployment:
			insert(&groups.Deployments, settledWorkload(child))
		case *appsv1.StatefulSet:
			insert(&groups.StatefulSets, settledWorkload(child))
		case *corev1.Service:
			insert(&groups.Services, requests.Applied[observed.Child](child))
		case *policyv1.PodDisruptionBudget:
			insert(&groups.PodDisruptionBudgets, requests.Applied[observed.Child](child))
		case *networkingv1.NetworkPolicy:
			insert(&groups.NetworkPolicies, requests.Applied[observed.Child](child))
		case *batchv1.Job:
			insert(&groups.Jobs, requests.Applied[observed.Job](child))
		}
	}
	return groups
}

func settledWorkload(child runtime.Object) observed.Workload {
	workload := requests.Applied[observed.Workload](child)
	replicas := *workload.Spec.Replicas
	workload.Status = observed.WorkloadStatus{Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas}
	return workload
}

func insert[T composite.Object](group *composite.Group[T], object T) {
	*group = composite.GroupOf(append(all(*group), object)...)
}

func all[T composite.Object](group composite.Group[T]) []T {
	var objects []T
	for object := range group.All() {
		objects = append(objects, *object)
	}
	return objects
}

// remove removes the objects of a name, and those whose names continue it.
func remove[T composite.Object](group *composite.Group[T], name string) {
	*group = composite.GroupOf(slices.DeleteFunc(all(*group), func(object T) bool { return strings.HasPrefix(object.GetName(), name) })...)
}

// notReady makes the pods not ready whose names begin with a text.
func notReady(request *syncRequest, name string) {
	for pod := range request.Related.Pods.All() {
		if strings.HasPrefix(pod.Name, name) {
			pod.Status.Conditions = nil
		}
	}
}

func readyPod(name string, labels map[string]string) observed.Pod {
	return observed.Pod{
		Meta:   observed.Meta{Name: name, Namespace: "web", Labels: labels},
		Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// terminating returns a pod that is being deleted, and ends 500 seconds after noon.
func terminating(pod observed.Pod) observed.Pod {
	pod.DeletionTimestamp = ago(-500)
	return pod
}

// reloaderExit returns the status of a reloader that exited half a minute before noon, and has run since.
func reloaderExit(code int32, message string) observed.ContainerStatus {
	exited := noon.Add(-30 * time.Second)
	return observed.ContainerStatus{
		Name: children.ReloaderName, Ready: true,
		State:     observed.ContainerState{Running: observed.ContainerRunning{StartedAt: exited}},
		LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: code, Message: observed.Message(message), FinishedAt: metav1.NewTime(exited)}},
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

// workloadsOf returns the workloads of a response, and the routes of its proxies.
func workloadsOf(response syncResponse) string {
	var workloads []string
	for _, child := range response.Children {
		switch child := child.(type) {
		case *appsv1.Deployment:
			text := fmt.Sprintf("%s with %d", child.Name, *child.Spec.Replicas)
			if routes := child.Spec.Template.Labels[proxy.RoutesLabel]; routes != "" {
				text += " and routes " + routes
			}
			workloads = append(workloads, text)
		case *appsv1.StatefulSet:
			workloads = append(workloads, fmt.Sprintf("%s with %d", child.Name, *child.Spec.Replicas))
		}
	}
	return strings.Join(workloads, ", ")
}
