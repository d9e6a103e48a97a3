package memcached

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestResizeOfACluster(t *testing.T) {
	c := newProxyCluster(t, proxied(3))
	c.settle()
	c.wantHistory("a new cache", "3 servers, 2 proxies with lists 3")
	status := c.request.Parent.Status.Proxy
	if status.Address != "cache-proxy.web.svc:11211" || status.ReadyReplicas != 2 || status.Servers != 3 || status.Resize != nil {
		t.Errorf("the status of the proxies is %+v", status)
	}
	start := c.request.Now
	c.resize(4)
	c.settle()
	c.wantHistory("up", "4 servers, 2 proxies with lists 3", "4 servers, 2 proxies with lists 3-4", "4 servers, 2 proxies with lists 4-3", "4 servers, 2 proxies with lists 4")
	if took := c.request.Now.Sub(start.Time); took < time.Minute {
		t.Errorf("the warm-up of a minute has taken %s", took)
	}
	c.resize(3)
	c.settle()
	c.wantHistory("down", "4 servers, 2 proxies with lists 4-3", "4 servers, 2 proxies with lists 3-4", "4 servers, 2 proxies with lists 3", "3 servers, 2 proxies with lists 3")
	c.resize(0)
	c.settle()
	c.wantHistory("to no servers", "3 servers, 0 proxies with lists 3", "0 servers, 0 proxies with lists 3")
	c.resize(2)
	c.settle()
	c.wantHistory("from no servers", "2 servers, 2 proxies with lists 2")
}

func TestResizeInSteps(t *testing.T) {
	memcached := proxied(2)
	memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(int32(2)), StepIntervalSeconds: new(int32(300))}
	c := newProxyCluster(t, memcached)
	c.settle()
	c.history = nil
	c.resize(5)
	c.settle()
	c.wantHistory("up", "4 servers, 2 proxies with lists 2", "4 servers, 2 proxies with lists 2-4", "4 servers, 2 proxies with lists 4-2", "4 servers, 2 proxies with lists 4",
		"5 servers, 2 proxies with lists 4", "5 servers, 2 proxies with lists 4-5", "5 servers, 2 proxies with lists 5-4", "5 servers, 2 proxies with lists 5")
	if c.request.Parent.Status.Scaling.Replicas != 5 {
		t.Errorf("the last step is %+v", c.request.Parent.Status.Scaling)
	}
	c.resize(2)
	c.settle()
	c.wantHistory("down", "5 servers, 2 proxies with lists 5-3", "5 servers, 2 proxies with lists 3-5", "5 servers, 2 proxies with lists 3", "3 servers, 2 proxies with lists 3",
		"3 servers, 2 proxies with lists 3-2", "3 servers, 2 proxies with lists 2-3", "3 servers, 2 proxies with lists 2", "2 servers, 2 proxies with lists 2")
}

// TestResizeAfterLosses loses the status, the Deployment or both before each sync of a change of size in turn. The change
// may take longer, but the lists and servers follow in the same order.
func TestResizeAfterLosses(t *testing.T) {
	for lost, lose := range map[string]func(*syncRequest){
		"status":      func(r *syncRequest) { r.Parent.Status = v1alpha1.MemcachedStatus{} },
		"Deployment":  func(r *syncRequest) { r.Children.Deployments = composite.GroupOf[observed.Workload]() },
		"StatefulSet": func(r *syncRequest) { r.Children.StatefulSets = composite.GroupOf[observed.Workload]() },
	} {
		for _, size := range []int32{2, 4} {
			for _, at := range []int{0, 1, 3, 6} {
				c := newProxyCluster(t, proxied(3))
				c.settle()
				c.history = nil
				c.resize(size)
				for range at {
					c.sync()
					c.request.Now = metav1.NewTime(c.request.Now.Add(15 * time.Second))
				}
				c.faulty = true
				lose(&c.request)
				c.settle()
				want := []string{"4 servers, 2 proxies with lists 3", "4 servers, 2 proxies with lists 3-4", "4 servers, 2 proxies with lists 4-3", "4 servers, 2 proxies with lists 4"}
				if size == 2 {
					want = []string{"3 servers, 2 proxies with lists 3-2", "3 servers, 2 proxies with lists 2-3", "3 servers, 2 proxies with lists 2", "2 servers, 2 proxies with lists 2"}
				}
				if lost == "Deployment" && at == 0 {
					want = append([]string{fmt.Sprintf("%d servers, 2 proxies with lists 3", max(size, 3))}, want...)
				}
				c.wantHistory(fmt.Sprintf("%s lost at sync %d of a change to %d", lost, at, size), slices.Compact(want)...)
			}
		}
	}
}

func TestConditionsOfProxies(t *testing.T) {
	type want struct{ available, ready, degraded string }
	cases := []struct {
		reason string
		change func(*proxyCluster)
		want   want
	}{
		{"all is well", func(*proxyCluster) {}, want{conditions.ReasonReplicaReady, conditions.ReasonAllReplicasReady, conditions.ReasonAsExpected}},
		{"no proxy is ready", func(c *proxyCluster) {
			for workload := range c.request.Children.Deployments.All() {
				workload.Status.ReadyReplicas, workload.Status.AvailableReplicas = 0, 0
			}
			for pod := range c.request.Related.Pods.All() {
				if pod.Labels[proxyLabel] != "" {
					pod.Status.Conditions = nil
				}
			}
		}, want{conditions.ReasonNoProxyReady, conditions.ReasonRollingOut, conditions.ReasonAsExpected}},
		{"one proxy is not ready", func(c *proxyCluster) {
			for workload := range c.request.Children.Deployments.All() {
				workload.Status.ReadyReplicas, workload.Status.AvailableReplicas = 1, 1
			}
		}, want{conditions.ReasonReplicaReady, conditions.ReasonRollingOut, conditions.ReasonAsExpected}},
		{"the image of a proxy has no proxy", func(c *proxyCluster) {
			for pod := range c.request.Related.Pods.All() {
				if pod.Name == "cache-proxy-1" {
					pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: proxyContainerName,
						State:     observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: conditions.ReasonCrashLoopBackOff}},
						LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: 1}}}}
				}
			}
		}, want{conditions.ReasonReplicaReady, conditions.ReasonCrashLoopBackOff, conditions.ReasonCrashLoopBackOff}},
		{"for two minutes, another Memcached has had the name of the proxies", func(c *proxyCluster) {
			c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
			var servers []observed.Pod
			for pod := range c.request.Related.Pods.All() {
				if pod.Labels[proxyLabel] == "" {
					servers = append(servers, *pod)
				}
			}
			c.request.Related.Pods = composite.GroupOf(servers...)
			c.request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: c.request.Now}}
			c.request.Now = metav1.NewTime(c.request.Now.Add(2 * time.Minute))
		}, want{conditions.ReasonNoProxyReady, "DeploymentMissing", "DeploymentMissing"}},
		{"a change of size", func(c *proxyCluster) { c.resize(4); c.sync(); c.sync() }, want{conditions.ReasonReplicaReady, ReasonResizing, conditions.ReasonAsExpected}},
	}
	for _, test := range cases {
		c := newProxyCluster(t, proxied(3))
		c.settle()
		if test.reason != "all is well" {
			c.request.Parent.Status.Conditions = nil // otherwise progress is reported a few seconds later
		}
		test.change(c)
		c.sync()
		got := want{c.condition(api.Available).Reason, c.condition(api.Ready).Reason, c.condition(api.Degraded).Reason}
		if got != test.want {
			t.Errorf("%s: conditions %+v, want %+v: %s", test.reason, got, test.want, c.condition(api.Ready).Message)
		}
	}
}
