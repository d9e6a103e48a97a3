package memcached

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestResizeOfACluster(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.wantHistory("a new cache", "servers 0-2, 2 proxies with routes 0-2")
	status := c.request.Parent.Status.Proxy
	if status.Address != "cache-proxy.web.svc:11211" || status.ReadyReplicas != 2 || status.Servers != "0-2" || status.OtherServers != "" || status.Move != nil {
		t.Errorf("the status of the proxies is %+v", status)
	}
	start := c.request.Now
	c.resize(4)
	c.settle()
	c.wantHistory("up", "servers 0-2, 2 proxies with routes 0-2_0-3_announcing", "servers 0-3, 2 proxies with routes 0-2_0-3_announcing",
		"servers 0-3, 2 proxies with routes 0-2_0-3_preparing", "servers 0-3, 2 proxies with routes 0-2_0-3_warming",
		"servers 0-3, 2 proxies with routes 0-2_0-3_closing", "servers 0-3, 2 proxies with routes 0-3")
	if took := c.request.Now.Sub(start.Time); took < time.Minute {
		t.Errorf("the warm-up of a minute has taken %s", took)
	}
	c.resize(3)
	c.settle()
	c.wantHistory("down", "servers 0-3, 2 proxies with routes 0-3_0-2_announcing", "servers 0-3, 2 proxies with routes 0-3_0-2_preparing",
		"servers 0-3, 2 proxies with routes 0-3_0-2_warming", "servers 0-3, 2 proxies with routes 0-3_0-2_closing",
		"servers 0-3, 2 proxies with routes 0-2", "servers 0-2, 2 proxies with routes 0-2")
	c.resize(0)
	c.settle()
	c.wantHistory("to no servers", "servers 0-2, 0 proxies with routes 0-2", "servers , 0 proxies with routes 0-2", "servers , 0 proxies with routes 0-0")
	c.resize(2)
	c.settle()
	c.wantHistory("from no servers", "servers 0-1, 2 proxies with routes 0-1")
}

func TestResizeInSteps(t *testing.T) {
	memcached := sample.Proxied(5)
	memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(int32(2)), StepIntervalSeconds: new(int32(300))}
	memcached.Spec.Proxy.Warmup.Enabled = new(false)
	c := newProxyCluster(t, memcached)
	c.settle()
	c.history = nil
	c.resize(2)
	c.settle()
	c.wantHistory("down", "servers 0-4, 2 proxies with routes 0-2", "servers 0-2, 2 proxies with routes 0-2", "servers 0-2, 2 proxies with routes 0-1", "servers 0-1, 2 proxies with routes 0-1")
	c.resize(5)
	c.settle()
	c.wantHistory("up", "servers 0-1, 2 proxies with routes 0-1",
		"servers 0-1, 2 proxies with routes 0-1_0-3_announcing", "servers 0-3, 2 proxies with routes 0-1_0-3_announcing", "servers 0-3, 2 proxies with routes 0-3",
		"servers 0-3, 2 proxies with routes 0-3_0-4_announcing", "servers 0-4, 2 proxies with routes 0-3_0-4_announcing", "servers 0-4, 2 proxies with routes 0-4")
	if c.request.Parent.Status.Scaling.Replicas != 5 {
		t.Errorf("the last step is %+v", c.request.Parent.Status.Scaling)
	}
}

// TestCustomizeOfFormerProxies checks that former proxies are observed until the last one has stopped.
func TestCustomizeOfFormerProxies(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.request.Parent.Spec.Proxy = nil
	if rules := customize(c.request.Parent); len(rules) != 2 {
		t.Errorf("right after spec has lost its proxies, the rules are %+v", rules)
	}
	c.sync()
	if ready := c.condition(api.Ready); ready.Status != metav1.ConditionFalse || ready.Reason != "Moving" {
		t.Errorf("while the proxies leave, Ready is %s: %s: %s", ready.Status, ready.Reason, ready.Message)
	}
	c.settle()
	if rules := customize(c.request.Parent); len(rules) != 1 || c.request.Parent.Status.Proxy != nil {
		t.Errorf("in the end, the rules are %+v, and the status is %+v", rules, c.request.Parent.Status.Proxy)
	}
}

// TestCustomizeOfFormerProxiesWithoutStatus checks that former proxies are observed if the status is lost as well: servers that
// they use stay.
func TestCustomizeOfFormerProxiesWithoutStatus(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.resize(2)
	c.request.Parent.Spec.Proxy, c.request.Parent.Status = nil, v1alpha1.MemcachedStatus{}
	c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
	selected := func(pod observed.Pod) bool {
		return slices.ContainsFunc(customize(c.request.Parent), func(rule composite.RelatedRule) bool {
			return labels.SelectorFromSet(rule.LabelSelector.MatchLabels).Matches(labels.Set(pod.Labels))
		})
	}
	pods := slices.DeleteFunc(all(c.request.Related.Pods), func(pod observed.Pod) bool { return !selected(pod) })
	c.request.Related.Pods = composite.GroupOf(pods...)
	c.history = nil
	c.sync()
	c.wantHistory("two proxies still stop", "servers 0-2")
	if c.request.Parent.Status.Proxy == nil {
		t.Error("the status has no proxies, so that the next sync does not observe them")
	}
	c.settle()
	c.wantHistory("the proxies have stopped", "servers 0-2", "servers 0-1")
	if rules := customize(c.request.Parent); len(rules) != 1 {
		t.Errorf("in the end, the rules are %+v", rules)
	}
}

func TestConditionsOfProxies(t *testing.T) {
	type want struct{ available, ready, degraded string }
	cases := []struct {
		reason string
		change func(*proxyCluster)
		want   want
	}{
		{"all is well", func(*proxyCluster) {}, want{"ReplicaReady", "AllReplicasReady", "AsExpected"}},
		{"no proxy is ready", func(c *proxyCluster) {
			for workload := range c.request.Children.Deployments.All() {
				workload.Status.ReadyReplicas, workload.Status.AvailableReplicas = 0, 0
			}
			for pod := range c.request.Related.Pods.All() {
				if pod.Labels[children.ProxyLabel] != "" {
					pod.Status.Conditions = nil
				}
			}
		}, want{"NoProxyReady", "RollingOut", "AsExpected"}},
		{"one proxy is not ready", func(c *proxyCluster) {
			for workload := range c.request.Children.Deployments.All() {
				workload.Status.ReadyReplicas, workload.Status.AvailableReplicas = 1, 1
			}
		}, want{"ReplicaReady", "RollingOut", "AsExpected"}},
		{"the image of a proxy has no proxy", func(c *proxyCluster) {
			for pod := range c.request.Related.Pods.All() {
				if pod.Name == "cache-proxy-1" {
					pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: proxy.ContainerName,
						State:     observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "CrashLoopBackOff"}},
						LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: 1}}}}
				}
			}
		}, want{"ReplicaReady", "CrashLoopBackOff", "CrashLoopBackOff"}},
		{"for two minutes, another Memcached has had the name of the proxies", func(c *proxyCluster) {
			c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
			var servers []observed.Pod
			for pod := range c.request.Related.Pods.All() {
				if pod.Labels[children.ProxyLabel] == "" {
					servers = append(servers, *pod)
				}
			}
			c.request.Related.Pods = composite.GroupOf(servers...)
			c.request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: c.request.Now}}
			c.request.Now = metav1.NewTime(c.request.Now.Add(2 * time.Minute))
		}, want{"NoProxyReady", "DeploymentMissing", "DeploymentMissing"}},
		{"a change of size", func(c *proxyCluster) { c.resize(4); c.sync(); c.sync() }, want{"ReplicaReady", "Moving", "AsExpected"}},
	}
	for _, test := range cases {
		c := newProxyCluster(t, sample.Proxied(3))
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
