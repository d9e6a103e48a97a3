package memcached

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/observed"
)

// warmingUp returns a cluster whose proxies move items from three to four servers.
func warmingUp(t *testing.T, config Config) *proxyCluster {
	t.Helper()
	c := newProxyCluster(t, sample.Proxied(3))
	c.config = config
	c.settle()
	c.resize(4)
	for range 4 {
		c.sync()
	}
	if routes := c.routes(); routes != "0-2_0-3_warming" {
		t.Fatalf("the proxies have the routes %s", routes)
	}
	return c
}

// routes returns the label of the proxies.
func (c *proxyCluster) routes() string {
	deployment := c.request.Children.Deployments.Get("web", proxy.Name(c.request.Parent))
	return deployment.Spec.Template.Metadata.Labels[proxy.RoutesLabel]
}

func (c *proxyCluster) job() *observed.Job {
	return c.request.Children.Jobs.Get("web", proxy.JobName(c.request.Parent))
}

// TestCopy checks that a warm-up ends with its Job, or after the longest time.
func TestCopy(t *testing.T) {
	ends := func(condition batchv1.JobConditionType) func(*proxyCluster) {
		return func(c *proxyCluster) {
			c.job().Status.Conditions = []observed.WorkloadCondition{{Type: string(condition), Status: corev1.ConditionTrue}}
		}
	}
	warmup := time.Minute
	cases := []struct {
		reason  string
		config  Config
		change  func(*proxyCluster)
		message string
		longest time.Duration
	}{
		{"the Job is complete", Config{ReloaderImage: "operator:1"}, ends(batchv1.JobComplete), "WarmingUp", 0},
		{"the Job runs", Config{ReloaderImage: "operator:1"}, func(c *proxyCluster) { c.job().Status.Succeeded = 2 }, "2 of 3 servers are copied", warmup},
		{"the Job has failed", Config{ReloaderImage: "operator:1"}, ends(batchv1.JobFailed), "The Job that copies the items has failed", warmup},
		{"the image is unknown", Config{}, func(*proxyCluster) {}, "The next phase begins after 2026", warmup},
	}
	for _, test := range cases {
		c := warmingUp(t, test.config)
		c.sync()
		test.change(c)
		start := c.request.Now
		c.request.Parent.Status.Conditions = nil // otherwise progress is reported a few seconds later
		c.sync()
		if message := c.condition(api.Progressing).Message; !strings.Contains(message, test.message) && test.longest > 0 {
			t.Errorf("%s: the message is %q, want %q", test.reason, message, test.message)
		}
		if risk := meta.FindStatusCondition(c.request.Parent.Status.Conditions, api.AtRisk); (risk != nil && risk.Reason == "JobFailed") != strings.Contains(test.reason, "failed") {
			t.Errorf("%s: AtRisk is %+v", test.reason, risk)
		}
		for scaling.ParseRoutes(c.routes()).Phase == scaling.Warming {
			c.request.Now = metav1.NewTime(c.request.Now.Add(time.Second))
			c.sync()
		}
		if took := c.request.Now.Sub(start.Time); took.Round(2*time.Second) != test.longest {
			t.Errorf("%s: the warm-up took %s, want %s", test.reason, took, test.longest)
		}
		c.settle()
		if c.job() != nil {
			t.Errorf("%s: the Job remains", test.reason)
		}
	}
}

// TestCopyPolicy checks that the Job has a NetworkPolicy as long as it exists, unless NetworkPolicies are disabled.
func TestCopyPolicy(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		c := warmingUp(t, Config{ReloaderImage: "operator:1"})
		c.request.Parent.Spec.NetworkPolicy.Enabled = &enabled
		c.sync()
		c.sync()
		policy := func() bool {
			return c.request.Children.NetworkPolicies.Get("web", proxy.JobName(c.request.Parent)) != nil
		}
		if c.job() == nil || policy() != enabled {
			t.Errorf("networkPolicy.enabled %t: the Job is %+v with a policy: %t", enabled, c.job(), policy())
		}
		c.settle()
		if c.job() != nil || policy() {
			t.Errorf("networkPolicy.enabled %t: after the warm-up, the Job is %+v with a policy: %t", enabled, c.job(), policy())
		}
	}
}

// TestCopyWithoutNetworkPolicies checks that a warm-up begins if the CompositeController lists Jobs, but no NetworkPolicies.
func TestCopyWithoutNetworkPolicies(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.request.Children.NetworkPolicies = composite.Group[observed.Child]{}
	response, err := c.config.sync(c.request)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, child := range response.Children {
		kinds[child.GetObjectKind().GroupVersionKind().Kind] = true
	}
	if !kinds["Job"] || kinds["NetworkPolicy"] {
		t.Errorf("children of the kinds %v, want a Job, and no NetworkPolicy, which Metacontroller would not delete", kinds)
	}
}

// TestCopyThatDoesNotStart checks that a Job whose pods cannot start is reported while the warm-up lasts, although no object changes.
func TestCopyThatDoesNotStart(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.sync()
	c.job().Status.StartTime = c.request.Now.Add(-45 * time.Second)
	c.sync()
	if wait := c.last.ResyncAfter; wait != 15*time.Second {
		t.Errorf("the next sync follows after %s, want a minute after the start of the Job", wait)
	}
	c.request.Now = metav1.NewTime(c.request.Now.Add(15 * time.Second))
	c.sync()
	if risk := meta.FindStatusCondition(c.request.Parent.Status.Conditions, api.AtRisk); risk == nil || risk.Reason != "JobNotStarted" {
		t.Errorf("AtRisk is %+v", risk)
	}
	if degraded := c.condition(api.Degraded); degraded.Status != metav1.ConditionFalse {
		t.Errorf("Degraded is %+v, although the cache serves", degraded)
	}
}

// TestCopyThatIsNotCreated checks that a Job which the API server refuses is reported when it has been desired for a minute. The phase of
// the proxies has begun long before.
func TestCopyThatIsNotCreated(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.request.Parent.Spec.Proxy.Warmup.MaxSeconds = new(int32(600))
	c.request.Parent.Status.Proxy.Move.Until = nil // the rollout has just ended
	c.request.Now = metav1.NewTime(c.request.Now.Add(2 * time.Minute))
	var since metav1.Time
	for range 5 {
		c.sync()
		if c.job() != nil && since.IsZero() {
			since = c.request.Now
		}
		want := !since.IsZero() && c.request.Now.Sub(since.Time) >= time.Minute
		if risk := meta.FindStatusCondition(c.request.Parent.Status.Conditions, api.AtRisk); (risk != nil && strings.Contains(risk.Message, "could not be created")) != want {
			t.Errorf("AtRisk at %s is %+v, want one: %t", c.request.Now, risk, want)
		}
		if wait := c.last.ResyncAfter; !want && (wait == 0 || wait > time.Minute) {
			t.Errorf("the next sync follows after %s, want at most a minute", wait)
		}
		c.request.Children.Jobs = composite.GroupOf[observed.Job]() // refused
		c.request.Now = metav1.NewTime(c.request.Now.Add(30 * time.Second))
	}
	if since.IsZero() || c.condition(api.Progressing).Status != metav1.ConditionTrue {
		t.Errorf("no Job is desired, or the warm-up has ended: %+v", c.condition(api.Progressing))
	}
}

// TestCopyOfAnotherWarmup checks that the Job of another warm-up is removed, and does not end this one.
func TestCopyOfAnotherWarmup(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.sync()
	own := c.job().Annotations[proxy.JobForAnnotation]
	other := *c.job()
	other.Annotations = map[string]string{proxy.JobForAnnotation: "0-2_0-3_warming 1"}
	other.Status.Conditions = []observed.WorkloadCondition{{Type: string(batchv1.JobComplete), Status: corev1.ConditionTrue}}
	c.request.Children.Jobs = composite.GroupOf(other)
	c.sync()
	if c.job() != nil {
		t.Errorf("the Job of another warm-up remains: %v", c.job().Annotations)
	}
	c.sync()
	if c.job() == nil || c.job().Annotations[proxy.JobForAnnotation] != own {
		t.Errorf("the next sync begins no Job for %s", own)
	}
}

// TestClean checks that a decrease begins when its Job has cleaned the servers that stay, and not before: what an earlier change has left
// there would come back.
func TestClean(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.config.ReloaderImage = "operator:1"
	c.settle()
	c.resize(2)
	c.sync()
	c.sync()
	if c.job() == nil || c.job().Spec.Completions != 2 {
		t.Fatalf("the Job is %+v, want one for the two servers that stay", c.job())
	}
	end := func(condition batchv1.JobConditionType) {
		c.job().Status.Conditions = []observed.WorkloadCondition{{Type: string(condition), Status: corev1.ConditionTrue}}
		c.sync()
	}
	c.job().Status.Succeeded = 1
	c.request.Parent.Status.Conditions = nil // otherwise progress is reported a few seconds later
	c.sync()
	if message := c.condition(api.Progressing).Message; c.routes() != "0-2_0-1_announcing" || !strings.Contains(message, "phase Cleaning") || !strings.Contains(message, "1 of 2 servers are cleaned") {
		t.Errorf("while the Job runs, the proxies have the routes %s, and the message is %q", c.routes(), message)
	}
	end(batchv1.JobFailed)
	risk := meta.FindStatusCondition(c.request.Parent.Status.Conditions, api.AtRisk)
	if c.routes() != "0-2_0-1_announcing" || risk == nil || risk.Reason != "JobFailed" || !strings.Contains(risk.Message, "warmup.enabled") {
		t.Errorf("after the Job has failed, the proxies have the routes %s, and AtRisk is %+v", c.routes(), risk)
	}
	end(batchv1.JobComplete)
	if c.routes() != "0-2_0-1_preparing" {
		t.Errorf("after the Job is complete, the proxies have the routes %s", c.routes())
	}
	c.sync()
	if c.job() != nil {
		t.Errorf("the Job remains in the next phase: %v", c.job().Annotations)
	}
}

// TestOverdueProxy checks that a proxy whose node is lost stops a change, and that the message names it.
func TestOverdueProxy(t *testing.T) {
	c := warmingUp(t, Config{})
	pod := readyPod("cache-proxy-old", proxy.PodLabels(c.request.Parent, scaling.ParseRoutes("0-2_0-3_preparing")))
	pod.DeletionTimestamp = new(metav1.NewTime(c.request.Now.Add(-time.Hour)))
	for range 2 {
		c.request.Related.Pods = composite.GroupOf(append(all(c.request.Related.Pods), pod)...)
		c.request.Parent.Status.Conditions = nil // otherwise progress is reported a few seconds later
		c.request.Now = metav1.NewTime(c.request.Now.Add(time.Hour))
		c.sync()
		if message := c.condition(api.Progressing).Message; c.routes() != "0-2_0-3_warming" || !strings.Contains(message, "pod cache-proxy-old") {
			t.Errorf("the proxies have the routes %s, and the message is %q", c.routes(), message)
		}
	}
}

// TestCopySurvivesProxies checks that a proxy that restarts does not end the Job.
func TestCopySurvivesProxies(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.sync()
	for deployment := range c.request.Children.Deployments.All() {
		deployment.Status.AvailableReplicas = 1
	}
	c.sync()
	if c.job() == nil {
		t.Error("the Job is removed while a proxy is not available")
	}
}

// TestCopyOfAnEarlierStatus checks that the end of a warm-up stays the same if Metacontroller observes the status before its last write at each
// sync: otherwise each of them writes another end.
func TestCopyOfAnEarlierStatus(t *testing.T) {
	c := warmingUp(t, Config{ReloaderImage: "operator:1"})
	c.sync()
	before, want := *c.request.Parent.Status.DeepCopy(), c.request.Parent.Status.Proxy.Move.Until
	before.Proxy.Move.Until = nil // the sync that began the warm-up recorded it
	for i := range 4 {
		stored := c.request.Parent.Status
		c.request.Parent.Status = before
		c.request.Now = metav1.NewTime(c.request.Now.Add(time.Second))
		c.sync()
		before = stored
		if got := c.request.Parent.Status.Proxy.Move.Until; !got.Equal(want) {
			t.Errorf("sync %d: the warm-up ends at %v, and ended at %v before", i, got, want)
		}
	}
}
