package memcached

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// unready makes some servers not ready, with these statuses of the containers.
func (c *proxyCluster) unready(servers scaling.Servers, transition time.Time, containers ...observed.ContainerStatus) {
	pods := all(c.request.Related.Pods)
	for i := range pods {
		ordinal, err := strconv.Atoi(strings.TrimPrefix(pods[i].Name, "cache-"))
		if err == nil && int32(ordinal) >= servers.First && int32(ordinal) < servers.End() {
			pods[i].Status.Conditions = observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: transition}}
			pods[i].Status.ContainerStatuses = containers
		}
	}
	c.request.Related.Pods = composite.GroupOf(pods...)
	sets := all(c.request.Children.StatefulSets)
	sets[0].Status.ReadyReplicas -= servers.Count
	sets[0].Status.AvailableReplicas -= servers.Count
	c.request.Children.StatefulSets = composite.GroupOf(sets...)
}

// until syncs until the change is in a phase.
func (c *proxyCluster) until(phase v1alpha1.MovePhase) {
	c.Helper()
	for range 50 {
		c.sync()
		if p := c.request.Parent.Status.Proxy; p != nil && p.Move != nil && p.Move.Phase == phase {
			return
		}
		c.request.Now = metav1.NewTime(c.request.Now.Add(c.last.ResyncAfter))
	}
	c.Fatalf("the change is never in phase %s: %q", phase, c.history)
}

// TestReplaceUnready checks when pods that are not ready keep their items.
func TestReplaceUnready(t *testing.T) {
	running := observed.ContainerStatus{Name: "memcached", State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Time}}}
	waiting := observed.ContainerStatus{Name: "memcached", State: observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "CrashLoopBackOff"}}}
	ready := running
	ready.Ready = true
	exporter := observed.ContainerStatus{Name: "exporter", State: observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "ImagePullBackOff"}}}
	cases := []struct {
		reason     string
		transition time.Time
		containers []observed.ContainerStatus
		keeps      bool
	}{
		{"a probe fails for a moment", noon.Add(time.Hour), []observed.ContainerStatus{running}, true},
		{"only the exporter fails", noon.Add(-time.Minute), []observed.ContainerStatus{ready, exporter}, true},
		{"memcached has restarted, and is not ready yet", noon.Add(-time.Minute), []observed.ContainerStatus{running}, false},
		{"memcached crashes", noon.Add(time.Hour), []observed.ContainerStatus{waiting}, false},
		{"a pod that was never started", time.Time{}, nil, false},
	}
	for _, test := range cases {
		memcached := sample.Proxied(3)
		memcached.Spec.Image = "memcached:1"
		c := newProxyCluster(t, memcached)
		c.faulty = true
		c.settle()
		c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
		c.unready(scaling.Servers{Count: 3}, test.transition, test.containers...)
		c.sync()
		if kept := c.images() == "0 1, 1 1, 2 1"; kept != test.keeps {
			t.Errorf("%s: the pods keep their template: %t", test.reason, kept)
		}
	}
}

// TestReplaceByBrokenServers checks that the servers that have the items stay while the new ones fail, and what repairs these.
func TestReplaceByBrokenServers(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.faulty = true
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.until(v1alpha1.MoveWarmingUp)
	for range 10 {
		c.unready(scaling.Servers{First: 3, Count: 3}, time.Time{})
		c.sync()
		c.request.Now = metav1.NewTime(c.request.Now.Add(time.Hour))
	}
	c.wantImages("the new servers never get ready", "0 1, 1 1, 2 1, 3 2, 4 2, 5 2")
	c.unready(scaling.Servers{First: 3, Count: 3}, time.Time{})
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:3" })
	c.sync()
	c.settle()
	c.wantImages("another template repairs them", "6 3, 7 3, 8 3")
}

// TestLeaveDuringReplacement checks that spec can lose its proxies in each phase, and that no user takes the cache for ready in between.
func TestLeaveDuringReplacement(t *testing.T) {
	for _, phase := range []v1alpha1.MovePhase{
		v1alpha1.MoveAddingServers, v1alpha1.MovePreparing, v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing, v1alpha1.MoveRemovingServers,
	} {
		memcached := sample.Proxied(3)
		memcached.Spec.Image = "memcached:1"
		c := newProxyCluster(t, memcached)
		c.settle()
		c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
		c.until(phase)
		c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Proxy = nil })
		for range 10 {
			c.sync()
			if servers := len(c.request.Parent.Status.Servers); servers == 6 && c.condition(api.Ready).Status == metav1.ConditionTrue {
				t.Errorf("spec lost its proxies in %s: six servers exist, and the cache is ready", phase)
			}
			c.request.Now = metav1.NewTime(c.request.Now.Add(c.last.ResyncAfter))
		}
		c.settle()
		if images := c.images(); images != "0 2, 1 2, 2 2" && images != "3 2, 4 2, 5 2" {
			t.Errorf("spec lost its proxies in %s: in the end, the servers are %s", phase, images)
		}
	}
}

// TestAvailableOfServersInUse checks that ready servers that no client reaches do not make the cache available, also while the spec
// is invalid.
func TestAvailableOfServersInUse(t *testing.T) {
	memcached := sample.Proxied(1)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.until(v1alpha1.MovePreparing)
	c.unready(scaling.Servers{Count: 1}, noon.Time)
	for _, connections := range []int64{1024, 0} {
		c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.MaxConnections = &connections })
		if got := conditionsOf(t, c.config, c.request)[api.Available]; got.Status != metav1.ConditionFalse || got.Reason != "NoReplicaReady" {
			t.Errorf("%d connections: only cache-1 is ready, which no client reaches, and Available is %s: %s: %s", connections, got.Status, got.Reason, got.Message)
		}
	}
}

// TestDeploymentIgnoresProxies checks that a cache with a Deployment does not follow the label of proxies that it has adopted.
func TestDeploymentIgnoresProxies(t *testing.T) {
	request := settled(sample.New(2))
	adopted := observed.Workload{ChildMeta: observed.ChildMeta{Name: "cache-proxy", Namespace: "web"}, Spec: observed.WorkloadSpec{Replicas: new(int32(2))}}
	adopted.Spec.Template.Metadata.Labels = map[string]string{proxy.RoutesLabel: "3-5"}
	request.Children.Deployments = composite.GroupOf(append(all(request.Children.Deployments), adopted)...)
	response, err := (Config{}).sync(request)
	if err != nil {
		t.Fatal(err)
	}
	var deployments []string
	for _, child := range response.Children {
		if deployment, ok := child.(*appsv1.Deployment); ok {
			deployments = append(deployments, fmt.Sprint(deployment.Name, " with ", *deployment.Spec.Replicas))
		}
	}
	if diff := cmp.Diff([]string{"cache with 2"}, deployments); diff != "" {
		t.Errorf("Deployments (-want +got):\n%s", diff)
	}
}

// TestLeaveForDeployment checks that a Deployment follows a StatefulSet that was deleted.
func TestLeaveForDeployment(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.faulty = true
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Proxy, spec.Workload = nil, v1alpha1.DeploymentWorkload })
	c.request.Children.StatefulSets = composite.GroupOf[observed.Workload]()
	c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
	c.request.Related.Pods = composite.GroupOf[observed.Pod]()
	c.settle()
	for deployment := range c.request.Children.Deployments.All() {
		if deployment.Name == "cache" && *deployment.Spec.Replicas == 3 {
			return
		}
	}
	t.Errorf("the cluster has %q, and no Deployment of 3 servers", c.history)
}
