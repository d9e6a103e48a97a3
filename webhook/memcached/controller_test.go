package memcached

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestCustomize checks which pods are observed: proxies as long as they may run.
func TestCustomize(t *testing.T) {
	cases := []struct {
		reason  string
		edit    func(*v1alpha1.Memcached)
		proxies bool
	}{
		{"spec has proxies, and status not yet", func(m *v1alpha1.Memcached) { m.Spec.Proxy = &v1alpha1.Proxy{} }, true},
		{"spec has lost its proxies, and they still run", func(m *v1alpha1.Memcached) { m.Status.Proxy = &v1alpha1.ProxyStatus{} }, true},
		{"no proxy runs", func(*v1alpha1.Memcached) {}, false},
		{"status is lost, and former proxies may run", func(m *v1alpha1.Memcached) { m.Status.ObservedGeneration = -1 }, true},
		{"status is lost with its default", func(m *v1alpha1.Memcached) { m.Status.ObservedGeneration = 0 }, true},
		{"status is lost, and a Deployment never has proxies", func(m *v1alpha1.Memcached) {
			m.Status.ObservedGeneration, m.Spec.Workload = -1, v1alpha1.DeploymentWorkload
		}, false},
	}
	for _, test := range cases {
		memcached := sample.New(3)
		memcached.Spec.Workload, memcached.Status.ObservedGeneration = v1alpha1.StatefulSetWorkload, 3
		test.edit(memcached)
		rules := customize(memcached)
		selects := func(pod map[string]string) bool {
			return slices.ContainsFunc(rules, func(rule composite.RelatedRule) bool {
				return labels.SelectorFromSet(rule.LabelSelector.MatchLabels).Matches(labels.Set(pod))
			})
		}
		if !selects(children.SelectorLabels(memcached)) {
			t.Errorf("%s: the servers are not observed: %+v", test.reason, rules)
		}
		if got := selects(proxy.PodLabels(memcached, scaling.ParseRoutes("0-2"))); got != test.proxies {
			t.Errorf("%s: proxies are observed: %t, want %t", test.reason, got, test.proxies)
		}
	}
}

// TestFormerProxies checks a sync with proxies that spec no longer has: servers that they use stay, and status still has the proxies, so that
// the next sync observes them too.
func TestFormerProxies(t *testing.T) {
	for reason, edit := range map[string]func(*syncRequest){
		"their Deployment exists":     func(*syncRequest) {},
		"their Deployment is deleted": func(o *syncRequest) { remove(&o.Children.Deployments, "cache-proxy") },
		"their Deployment and the status are lost": func(o *syncRequest) {
			remove(&o.Children.Deployments, "cache-proxy")
			o.Parent.Status = v1alpha1.MemcachedStatus{}
		},
	} {
		request := proxied(t, 2, "0-2")
		request.Parent.Spec.Proxy = nil
		edit(&request)
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := workloadsOf(response); got != "cache with 3" || response.Status.Proxy == nil {
			t.Errorf("%s: the workloads are %s, and the status of the proxies %+v", reason, got, response.Status.Proxy)
		}
		if ready := meta.FindStatusCondition(response.Status.Conditions, api.Ready); ready.Reason != "Moving" {
			t.Errorf("%s: Ready is %+v", reason, ready)
		}
	}
}
