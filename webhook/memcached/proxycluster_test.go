package memcached

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// proxyCluster is a cluster whose controllers have done their work before each sync.
type proxyCluster struct {
	*testing.T
	config  Config
	request syncRequest
	last    syncResponse
	// faulty allows Degraded while the cluster settles.
	faulty bool
	// history has the number of servers and the routes of the proxies after each change.
	history []string
	// applied has the last texts of [proxyCluster.generation], and generations its numbers.
	applied     map[string]string
	generations map[string]int64
}

func newProxyCluster(t *testing.T, memcached *v1alpha1.Memcached) *proxyCluster {
	c := &proxyCluster{T: t, request: syncRequest{Parent: memcached, Children: noChildren(), Now: noon}, applied: map[string]string{}, generations: map[string]int64{}}
	c.sync()
	return c
}

// sync calls the hook and applies its response.
func (c *proxyCluster) sync() {
	c.Helper()
	response, err := c.config.sync(c.request)
	if err != nil {
		c.Fatal(err)
	}
	c.last = response
	c.request.Parent.Status = response.Status
	groups := noChildren()
	var pods []observed.Pod
	var servers []string
	var state string
	for _, child := range response.Children {
		name := child.(metav1.Object).GetName()
		switch kind := child.GetObjectKind().GroupVersionKind().Kind; kind {
		case "Deployment", "StatefulSet":
			workload := requests.Applied[observed.Workload](child)
			workload.CreationTimestamp = noon.Add(-time.Hour)
			workload.Generation = c.generation(name, string(workload.SpecJSON()))
			workload.Annotations["deployment.kubernetes.io/revision"] = strconv.FormatInt(c.generation(name+" template", podTemplate(child)), 10)
			replicas := *workload.Spec.Replicas
			workload.Status = observed.WorkloadStatus{Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas, ObservedGeneration: workload.Generation}
			for i := range replicas {
				pod := readyPod(fmt.Sprintf("%s-%d", name, workload.Spec.Ordinals.Start+i), maps.Clone(workload.Spec.Template.Metadata.Labels))
				if kind == "StatefulSet" {
					c.start(&pod, &workload, i)
				}
				pods = append(pods, pod)
			}
			if kind == "Deployment" {
				groups.Deployments = composite.GroupOf(workload)
				state += fmt.Sprintf(", %d proxies with routes %s", replicas, workload.Spec.Template.Metadata.Labels[proxy.RoutesLabel])
			} else {
				servers = append(servers, scaling.Servers{First: workload.Spec.Ordinals.Start, Count: replicas}.String())
				groups.StatefulSets = composite.GroupOf(append(all(groups.StatefulSets), workload)...)
			}
		case "Job":
			job := requests.Applied[observed.Job](child)
			job.CreationTimestamp = c.request.Now.Truncate(time.Second)
			if existing := c.request.Children.Jobs.Get(job.Namespace, job.Name); existing != nil {
				job = *existing // Metacontroller never updates a Job
			}
			groups.Jobs = composite.GroupOf(job)
		case "Service":
			groups.Services = composite.GroupOf(append(all(groups.Services), requests.Applied[observed.Child](child))...)
		case "PodDisruptionBudget":
			groups.PodDisruptionBudgets = composite.GroupOf(append(all(groups.PodDisruptionBudgets), requests.Applied[observed.Child](child))...)
		case "NetworkPolicy":
			groups.NetworkPolicies = composite.GroupOf(append(all(groups.NetworkPolicies), requests.Applied[observed.Child](child))...)
		}
	}
	c.request.Children, c.request.Related.Pods = groups, composite.GroupOf(pods...)
	slices.Sort(servers)
	state = "servers " + strings.Join(servers, " and ") + state
	if len(c.history) == 0 || c.history[len(c.history)-1] != state {
		c.history = append(c.history, state)
	}
}

// start gives a pod of a StatefulSet its revision: the image of memcached. A pod that exists keeps it if the partition has it.
func (c *proxyCluster) start(pod *observed.Pod, set *observed.Workload, number int32) {
	set.Status.UpdateRevision = set.Image("memcached")
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = set.Status.UpdateRevision
	for existing := range c.request.Related.Pods.All() {
		if existing.Name == pod.Name && number < set.Spec.UpdateStrategy.RollingUpdate.Partition {
			pod.Labels[appsv1.ControllerRevisionHashLabelKey] = existing.Labels[appsv1.ControllerRevisionHashLabelKey]
		}
	}
}

// podTemplate returns the pod template of a workload as text.
func podTemplate(child runtime.Object) string {
	var template any
	switch workload := child.(type) {
	case *appsv1.Deployment:
		template = workload.Spec.Template
	case *appsv1.StatefulSet:
		template = workload.Spec.Template
	}
	text, err := json.Marshal(template)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// generation returns a number that increases when a text changes.
func (c *proxyCluster) generation(name, text string) int64 {
	if c.applied[name] != text {
		c.applied[name] = text
		c.generations[name]++
	}
	return c.generations[name]
}

// settle calls the hook whenever it asks for it, until it asks for nothing and nothing changes.
func (c *proxyCluster) settle() {
	c.Helper()
	for range 100 {
		c.sync()
		switch {
		case c.last.ResyncAfter > 0:
			c.request.Now = metav1.NewTime(c.request.Now.Add(c.last.ResyncAfter))
		case meta.IsStatusConditionTrue(c.request.Parent.Status.Conditions, api.Ready):
			return
		}
		if problem := c.condition(api.Degraded); problem.Status == metav1.ConditionTrue && !c.faulty {
			c.Fatalf("a change of size without faults is Degraded: %s: %s", problem.Reason, problem.Message)
		}
	}
	c.Fatalf("the cluster does not settle: %v, %+v", c.history, c.request.Parent.Status)
}

func (c *proxyCluster) resize(size int32) {
	c.request.Parent.Spec.Size = &size
	c.request.Parent.Generation++
}

func (c *proxyCluster) condition(kind string) metav1.Condition {
	return *meta.FindStatusCondition(c.request.Parent.Status.Conditions, kind)
}

func (c *proxyCluster) wantHistory(reason string, want ...string) {
	c.Helper()
	if !slices.Equal(c.history, want) {
		c.Errorf("%s: the cluster had\n%q, want\n%q", reason, c.history, want)
	}
	c.history = nil
}

func all[T composite.Object](group composite.Group[T]) []T {
	var objects []T
	for object := range group.All() {
		objects = append(objects, *object)
	}
	return objects
}

func readyPod(name string, labels map[string]string) observed.Pod {
	return observed.Pod{
		Meta:   observed.Meta{Name: name, Namespace: "web", Labels: labels},
		Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}
