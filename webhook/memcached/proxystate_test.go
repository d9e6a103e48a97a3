package memcached

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestReadyNeedsEveryChildOfTheProxies checks that Ready requires each child that belongs to the proxies, and not only the servers'.
func TestReadyNeedsEveryChildOfTheProxies(t *testing.T) {
	without := func(group composite.Group[observed.Child], name string) composite.Group[observed.Child] {
		return composite.GroupOf(slices.DeleteFunc(all(group), func(child observed.Child) bool { return child.Name == name })...)
	}
	cases := []struct {
		reason string
		change func(groups *childGroups, name string)
		want   string
	}{
		{"all children are as desired", func(*childGroups, string) {}, "AllReplicasReady"},
		{"there is no Deployment", func(g *childGroups, _ string) { g.Deployments = composite.GroupOf[observed.Workload]() }, "DeploymentMissing"},
		{"there is no Service", func(g *childGroups, name string) { g.Services = without(g.Services, name) }, "ServiceMissing"},
		{"there is no PodDisruptionBudget", func(g *childGroups, name string) { g.PodDisruptionBudgets = without(g.PodDisruptionBudgets, name) }, "PodDisruptionBudgetMissing"},
		{"there is no NetworkPolicy", func(g *childGroups, name string) { g.NetworkPolicies = without(g.NetworkPolicies, name) }, "NetworkPolicyMissing"},
	}
	for _, test := range cases {
		c := newProxyCluster(t, sample.Proxied(3))
		c.settle()
		c.request.Parent.Status.Conditions = nil // otherwise progress is reported a few seconds later
		test.change(&c.request.Children, proxy.Name(c.request.Parent))
		if got := conditionsOf(t, Config{}, c.request)[api.Ready]; got.Reason != test.want {
			t.Errorf("%s: Ready is %s for %s: %s; want %s", test.reason, got.Status, got.Reason, got.Message, test.want)
		}
	}
}

// TestOrphanedProxies checks that one command adopts all children that belong to the proxies if a former parent left only these behind.
func TestOrphanedProxies(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
	c.request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: c.request.Now}}
	c.request.Now = metav1.NewTime(c.request.Now.Add(2 * time.Minute))
	const command = "kubectl label --overwrite -n web deployment/cache-proxy service/cache-proxy poddisruptionbudget/cache-proxy networkpolicy/cache-proxy controller-uid="
	if got := conditionsOf(t, Config{}, c.request)[api.Degraded]; got.Reason != "Orphaned" || !strings.Contains(got.Message, command) {
		t.Errorf("Degraded is %s for %s: %s; want Orphaned with %q", got.Status, got.Reason, got.Message, command)
	}
}

// TestLastChangeOfAnEarlierStatus checks that the time of the last change stays the same if Metacontroller observes the status before its last
// write at each sync: otherwise every second write has another time.
func TestLastChangeOfAnEarlierStatus(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(3))
	c.settle()
	c.resize(4)
	before, first := c.request.Parent.Status, metav1.Time{}
	for i := range 4 {
		stored := c.request.Parent.Status
		c.request.Parent.Status = before
		response, err := c.config.sync(c.request)
		if err != nil {
			t.Fatal(err)
		}
		changed := *response.Status.Proxy.LastChangeTime
		if i == 0 {
			first = changed
		}
		if !changed.Equal(&first) {
			t.Errorf("sync %d: the last change is at %v, and was at %v for the same decision", i, changed, first)
		}
		before, c.request.Parent.Status = stored, response.Status
		c.request.Now = metav1.NewTime(c.request.Now.Add(time.Second))
	}
}
