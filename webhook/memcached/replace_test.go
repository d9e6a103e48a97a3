package memcached

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// images returns the image of each StatefulSet.
func (c *proxyCluster) images() map[string]string {
	images := map[string]string{}
	for set := range c.request.Children.StatefulSets.All() {
		images[set.Name] = set.Image("memcached")
	}
	return images
}

func (c *proxyCluster) wantImages(reason string, want map[string]string) {
	c.Helper()
	if diff := cmp.Diff(want, c.images()); diff != "" {
		c.Errorf("%s: images (-want +got):\n%s", reason, diff)
	}
}

// TestReplace checks a change of the image with proxies, and the way back.
func TestReplace(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	c.wantHistory("a new cache", "3 servers, 2 proxies with routes 3")

	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image, spec.Size = "memcached:2", new(int32(4)) })
	c.sync()
	c.wantImages("the proxies expect the change first", map[string]string{"cache": "memcached:1"})
	c.sync()
	c.wantImages("the set in use keeps its template", map[string]string{"cache": "memcached:1", "cache-b": "memcached:2"})
	c.settle()
	c.wantHistory("a new image and size", "3 servers, 2 proxies with routes 3-4b-announcing", "3 and 4-b servers, 2 proxies with routes 3-4b-announcing",
		"3 and 4-b servers, 2 proxies with routes 3-4b-preparing", "3 and 4-b servers, 2 proxies with routes 3-4b-warming",
		"3 and 4-b servers, 2 proxies with routes 3-4b-closing",
		"3 and 4-b servers, 2 proxies with routes 4b", "4-b servers, 2 proxies with routes 4b")
	status := c.request.Parent.Status
	if status.Proxy.ServingStatefulSet != "cache-b" || status.Proxy.SecondStatefulSet != "" || len(status.Servers) != 4 ||
		!strings.HasPrefix(status.Servers[3], "cache-b-3.cache.web.svc:") || len(status.Nodes) != 4 || status.Replicas != 4 {
		t.Errorf("the second set serves, and status is %+v, %+v", status, status.Proxy)
	}

	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:3" })
	c.sync()
	c.sync()
	c.wantImages("the way back", map[string]string{"cache": "memcached:3", "cache-b": "memcached:2"})
	c.settle()
	c.wantImages("only the set in use stays", map[string]string{"cache": "memcached:3"})

	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image, spec.Proxy.Warmup.Enabled = "memcached:4", new(false) })
	c.history = nil
	c.settle()
	c.wantImages("spec replaces pods in place", map[string]string{"cache": "memcached:4"})
	c.wantHistory("spec replaces pods in place", "4 servers, 2 proxies with routes 4")
}

// TestReplaceWithoutLastApplied checks that a set keeps its pods also if nothing says what was applied last.
func TestReplaceWithoutLastApplied(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	set := all(c.request.Children.StatefulSets)[0]
	delete(set.Annotations, observed.LastAppliedAnnotation)
	c.request.Children.StatefulSets = composite.GroupOf(set)
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.sync()
	c.sync()
	c.wantImages("the set in use keeps its template", map[string]string{"cache": "memcached:1", "cache-b": "memcached:2"})
}

// TestReplaceThatDoesNotFit checks that the conditions say why the second set does not start, and which field replaces pods in place.
func TestReplaceThatDoesNotFit(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Image = "memcached:1"
	c := newProxyCluster(t, memcached)
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.sync()
	c.sync()
	pods := all(c.request.Related.Pods)
	for i := range pods {
		if strings.HasPrefix(pods[i].Name, "cache-b-") {
			pods[i].Status.Conditions = observed.PodConditions{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available: 3 Insufficient memory."}}
		}
	}
	c.request.Related.Pods = composite.GroupOf(pods...)
	c.wantBlocked("nodes", "Insufficient memory")

	c.request.Related.Pods = composite.GroupOf(pods[:3]...)
	sets := all(c.request.Children.StatefulSets)
	for i := range sets {
		if sets[i].Name == "cache-b" {
			sets[i].Status = observed.WorkloadStatus{ObservedGeneration: 1}
		}
	}
	c.request.Children.StatefulSets = composite.GroupOf(sets...)
	c.request.Now = metav1.NewTime(c.request.Now.Add(10 * time.Minute))
	c.wantBlocked("quota", "StatefulSet cache-b has 0 of 3 pods")

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
		phase  v1alpha1.ResizePhase
	}{
		{"the size changes", func(spec *v1alpha1.MemcachedSpec) { spec.Size = new(int32(4)) }, v1alpha1.ResizeAddingServers},
		{"the items move already", func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" }, v1alpha1.ResizeWarmingUp},
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

// wantBlocked checks the conditions while the second set cannot start.
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

// TestReplaceKeepsDefaults checks that another release, with another default image, moves no items by itself, and that each set keeps
// the image that it runs.
func TestReplaceKeepsDefaults(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.config.Image = "memcached:2"
	c.settle()
	c.wantImages("only the release changes", map[string]string{"cache": children.DefaultImage})

	c.edit(func(spec *v1alpha1.MemcachedSpec) {
		spec.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
	})
	c.sync()
	c.sync()
	c.wantImages("the pods change", map[string]string{"cache": children.DefaultImage, "cache-b": "memcached:2"})
	if got := c.request.Parent.Status.Image; got != children.DefaultImage {
		t.Errorf("the first set serves, and status.image is %q", got)
	}
	c.config.Image = "memcached:3"
	c.sync()
	c.wantImages("the release changes again", map[string]string{"cache": children.DefaultImage, "cache-b": "memcached:2"})
	for set := range c.request.Children.StatefulSets.All() {
		if got := set.Annotations[children.ImageAnnotation(children.ContainerName)]; got != set.Image(children.ContainerName) {
			t.Errorf("the annotation of %s has the image %q, and its pods have %q", set.Name, got, set.Image(children.ContainerName))
		}
	}
	c.settle()
	c.wantImages("the move has ended", map[string]string{"cache-b": "memcached:2"})
	if got := c.request.Parent.Status.Image; got != "memcached:2" {
		t.Errorf("the second set serves, and status.image is %q", got)
	}
}

// TestReplacedWhileInvalid checks that an invalid spec has the servers of the second set, and misses it if it is deleted.
func TestReplacedWhileInvalid(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Image = "memcached:2" })
	c.settle()
	c.edit(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.Threads = new(int32(0)) })
	c.wantInvalid("the second set serves", 3, "")
	c.request.Children.StatefulSets = composite.GroupOf[observed.Workload]()
	c.wantInvalid("the second set was deleted", 3, "StatefulSet cache-b")
}

// wantInvalid checks the number of servers, and the children that are missing.
func (c *proxyCluster) wantInvalid(reason string, servers int, missing string) {
	c.Helper()
	response, err := c.config.sync(c.request)
	if err != nil {
		c.Fatal(err)
	}
	if got := response.Status.Servers; len(got) != servers || !strings.HasPrefix(got[0], "cache-b-0.") {
		c.Errorf("%s: servers %q", reason, got)
	}
	c.request.Parent.Status.Conditions = response.Status.Conditions
	if _, got, _ := strings.Cut(c.condition(api.Degraded).Message, "until the spec is valid: "); got != missing {
		c.Errorf("%s: the message lists %q, want %q", reason, got, missing)
	}
}
