package memcached

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func (c *proxyCluster) edit(change func(*v1alpha1.MemcachedSpec)) {
	change(&c.request.Parent.Spec)
	c.request.Parent.Generation++
}

// images returns the revisions of the servers, which are their images, in the order of their ordinals.
func (c *proxyCluster) images() string {
	images := map[string]string{}
	for pod := range c.request.Related.Pods.All() {
		if pod.Labels[children.ProxyLabel] == "" {
			images[pod.Name] = pod.Labels[appsv1.ControllerRevisionHashLabelKey]
		}
	}
	var text []string
	for _, name := range slices.Sorted(maps.Keys(images)) {
		text = append(text, strings.TrimPrefix(name, "cache-")+" "+strings.TrimPrefix(images[name], "memcached:"))
	}
	return strings.Join(text, ", ")
}

func (c *proxyCluster) wantImages(reason, want string) {
	c.Helper()
	if diff := cmp.Diff(want, c.images()); diff != "" {
		c.Errorf("%s: images (-want +got):\n%s", reason, diff)
	}
}

// TestReplace checks changes of the image with proxies.
func TestReplace(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	c.wantHistory("a new cache", "servers 0-2, 2 proxies with routes 0-2")

	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image, spec.Size = "memcached:2", new(int32(4)) })
	c.sync()
	c.wantImages("the template is written first", "0 1, 1 1, 2 1")
	c.sync()
	c.wantImages("the proxies expect the change", "0 1, 1 1, 2 1")
	c.sync()
	c.wantImages("servers in use keep their template", "0 1, 1 1, 2 1, 3 2, 4 2, 5 2, 6 2")
	c.settle()
	c.wantHistory("a new image and size", "servers 0-2, 2 proxies with routes 0-2", "servers 0-2, 2 proxies with routes 0-2_3-6_announcing",
		"servers 0-6, 2 proxies with routes 0-2_3-6_announcing", "servers 0-6, 2 proxies with routes 0-2_3-6_preparing",
		"servers 0-6, 2 proxies with routes 0-2_3-6_warming", "servers 0-6, 2 proxies with routes 0-2_3-6_closing",
		"servers 0-6, 2 proxies with routes 3-6", "servers 3-6, 2 proxies with routes 3-6")
	status := c.request.Parent.Status
	if status.Proxy.Servers != "3-6" || status.Proxy.OtherServers != "" || len(status.Servers) != 4 ||
		!strings.HasPrefix(status.Servers[3], "cache-6.cache.web.svc:") || len(status.Nodes) != 4 || status.Replicas != 4 {
		t.Errorf("the new servers serve, and status is %+v, %+v", status, status.Proxy)
	}

	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image, spec.Proxy.Warmup.Enabled = "memcached:4", new(false) })
	c.history = nil
	c.settle()
	c.wantImages("spec replaces pods in place", "3 4, 4 4, 5 4, 6 4")
	c.wantHistory("spec replaces pods in place", "servers 3-6, 2 proxies with routes 3-6")

	c.resize(0)
	c.settle()
	c.history = nil
	c.resize(2)
	c.settle()
	c.wantHistory("after size 0, the cache starts where it was", "servers 3-4, 2 proxies with routes 3-4")
}

// TestReplaceThatDoesNotFit checks that the conditions say why the new servers do not start, and which field replaces pods in place.
func TestReplaceThatDoesNotFit(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.until(v1alpha1.MoveAddingServers)
	c.sync()
	pods := all(c.request.Related.Pods)
	for i := range pods {
		if strings.HasPrefix(pods[i].Name, "cache-3") || strings.HasPrefix(pods[i].Name, "cache-4") || strings.HasPrefix(pods[i].Name, "cache-5") {
			pods[i].Status.Conditions = observed.PodConditions{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available: 3 Insufficient memory."}}
		}
	}
	c.request.Related.Pods = composite.GroupOf(pods...)
	c.wantBlocked("nodes", "Insufficient memory")

	c.request.Related.Pods = composite.GroupOf(pods[:3]...)
	sets := all(c.request.Children.StatefulSets)
	sets[0].Status.Replicas, sets[0].Status.ReadyReplicas, sets[0].Status.AvailableReplicas = 3, 3, 3
	c.request.Children.StatefulSets = composite.GroupOf(sets...)
	c.request.Now = metav1.NewTime(c.request.Now.Add(10 * time.Minute))
	c.wantBlocked("quota", "StatefulSet cache has 3 of 6 pods")

	c.sync() // the servers start
	c.exceedQuota()
	c.wantBlocked("quota for the proxies", "exceeded quota")
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Proxy.Warmup.Enabled = new(false) })
	c.sync()
	c.exceedQuota()
	if message := conditionsOf(t, c.config, c.request)[api.Degraded].Message; !strings.Contains(message, "exceeded quota") || strings.Contains(message, "spec.proxy.warmup.enabled") {
		t.Errorf("spec.proxy.warmup.enabled is false, and Degraded has %q, want the cause without that remedy", message)
	}
}

// TestQuotaWithoutReplacement checks that a message does not name spec.proxy.warmup.enabled if it does not help: the size changes, or the items move already.
func TestQuotaWithoutReplacement(t *testing.T) {
	for _, test := range []struct {
		reason string
		edit   func(*v1alpha1.MemcachedSpec)
		phase  v1alpha1.MovePhase
	}{
		{"the size changes", func(spec *v1alpha1.MemcachedSpec) { spec.Size = new(int32(4)) }, v1alpha1.MoveAddingServers},
		{"the items move already", func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" }, v1alpha1.MoveWarmingUp},
	} {
		c := newProxyCluster(t, sample.Proxied(3))
		c.settle()
		c.edit(test.edit)
		c.until(test.phase)
		c.exceedQuota()
		if message := conditionsOf(t, c.config, c.request)[api.Degraded].Message; !strings.Contains(message, "exceeded quota") || strings.Contains(message, "spec.proxy.warmup.enabled") {
			t.Errorf("%s: Degraded has %q, want the cause without that remedy", test.reason, message)
		}
	}
}

// exceedQuota makes the Deployment of the proxies report that its next pod exceeds a quota.
func (c *proxyCluster) exceedQuota() {
	deployments := all(c.request.Children.Deployments)
	deployments[0].Status.AvailableReplicas--
	deployments[0].Status.Conditions = []observed.WorkloadCondition{{Type: "ReplicaFailure", Status: corev1.ConditionTrue, Message: `pods "cache-proxy-x" is forbidden: exceeded quota: pods`}}
	c.request.Children.Deployments = composite.GroupOf(deployments...)
}

// wantBlocked checks the conditions while the new servers cannot start.
func (c *proxyCluster) wantBlocked(reason, problem string) {
	c.Helper()
	response, err := c.config.sync(c.request)
	if err != nil {
		c.Fatal(err)
	}
	c.request.Parent.Status = response.Status
	const remedy = "set spec.proxy.warmup.enabled to false"
	if message := c.condition(api.Degraded).Message; !strings.Contains(message, problem) || !strings.Contains(message, remedy) {
		c.Errorf("%s: Degraded has %q, want %q and %q", reason, message, problem, remedy)
	}
	if message := c.condition(api.Progressing).Message; !strings.Contains(message, remedy) {
		c.Errorf("%s: Progressing has %q, want the field that replaces pods in place", reason, message)
	}
	if available := c.condition(api.Available); available.Status != metav1.ConditionTrue {
		c.Errorf("%s: the servers in use serve, and Available is %s: %s", reason, available.Status, available.Message)
	}
}

// TestReplaceKeepsDefaults checks that another release, with another default image, moves no items by itself.
func TestReplaceKeepsDefaults(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(1))
	c.config.Image = "memcached:2"
	c.settle()
	c.wantImages("only the release changes", "0 "+strings.TrimPrefix(children.DefaultImage, "memcached:"))

	c.edit(func(spec *v1alpha1.MemcachedSpec) {
		spec.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
	})
	c.settle()
	c.wantImages("the pods change", "1 2")
	c.config.Image = "memcached:3"
	c.settle()
	c.wantImages("the release changes again", "1 2")
	if got := c.request.Parent.Status.Image; got != "memcached:2" {
		t.Errorf("status.image is %q", got)
	}
}

// TestReplacedWhileInvalid checks that an invalid spec has the servers after a change of the pod template, and misses their StatefulSet.
func TestReplacedWhileInvalid(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.MaxConnections = new(int64(0)) })
	c.wantInvalid("the new servers serve", 3, "")
	c.request.Children.StatefulSets = composite.GroupOf[observed.Workload]()
	c.wantInvalid("the StatefulSet was deleted", 3, "StatefulSet cache")
}

// wantInvalid checks the number of servers, and the children that are missing.
func (c *proxyCluster) wantInvalid(reason string, servers int, missing string) {
	c.Helper()
	response, err := c.config.sync(c.request)
	if err != nil {
		c.Fatal(err)
	}
	if got := response.Status.Servers; len(got) != servers || !strings.HasPrefix(got[0], "cache-3.") {
		c.Errorf("%s: servers %q", reason, got)
	}
	c.request.Parent.Status.Conditions = response.Status.Conditions
	if _, got, _ := strings.Cut(c.condition(api.Degraded).Message, "until the spec is valid: "); got != missing {
		c.Errorf("%s: the message lists %q, want %q", reason, got, missing)
	}
}
