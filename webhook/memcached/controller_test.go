package memcached

import (
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestCustomize checks which pods are observed: proxies and those of a Job as long as they may run.
func TestCustomize(t *testing.T) {
	cases := []struct {
		reason   string
		workload v1alpha1.Workload
		proxy    *v1alpha1.Proxy
		proxies  bool
	}{
		{"proxies imply a StatefulSet", "", &v1alpha1.Proxy{}, true},
		{"spec has lost its proxies, which may still run", v1alpha1.StatefulSetWorkload, nil, true},
		{"a Deployment never has proxies", "", nil, false},
	}
	for _, test := range cases {
		memcached := sample.New(3)
		memcached.Spec.Workload, memcached.Spec.Proxy = test.workload, test.proxy
		rules := customize(memcached)
		selects := func(pod map[string]string) bool {
			return slices.ContainsFunc(rules, func(rule composite.RelatedRule) bool {
				return labels.SelectorFromSet(rule.LabelSelector.MatchLabels).Matches(labels.Set(pod))
			})
		}
		if !selects(children.SelectorLabels(memcached)) {
			t.Errorf("%s: the servers are not observed: %+v", test.reason, rules)
		}
		if got := selects(proxy.PodLabels(memcached, moves.ParseRoutes("0-2"))); got != test.proxies {
			t.Errorf("%s: proxies are observed: %t, want %t", test.reason, got, test.proxies)
		}
		if got := selects(children.MoveSelector(memcached)); got != test.proxies {
			t.Errorf("%s: pods of a Job are observed: %t, want %t", test.reason, got, test.proxies)
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
		if !restrictsProxies(response) {
			t.Errorf("%s: no NetworkPolicy restricts the proxies while they end", reason)
		}
	}
}

// restrictsProxies reports whether a response has the NetworkPolicy of the proxies.
func restrictsProxies(response syncResponse) bool {
	return slices.ContainsFunc(response.Children, func(child runtime.Object) bool {
		policy, ok := child.(*networkingv1.NetworkPolicy)
		return ok && policy.Name == "cache-proxy"
	})
}

// TestEndedProxies: the sync that forgets the proxies removes their NetworkPolicy, too. No other sync follows, because the CompositeController has
// ignoreStatusChanges.
func TestEndedProxies(t *testing.T) {
	request := proxied(t, 3, "0-2")
	request.Parent.Spec.Proxy = nil
	remove(&request.Children.Deployments, "cache-proxy")
	remove(&request.Related.Pods, "cache-proxy")
	for range 3 {
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if restricted, known := restrictsProxies(response), response.Status.Proxy != nil; restricted != known {
			t.Errorf("a NetworkPolicy restricts the proxies: %t; status knows some: %t", restricted, known)
		}
		request.Parent.Status, request.Now = response.Status, metav1.NewTime(request.Now.Add(response.ResyncAfter))
	}
	if request.Parent.Status.Proxy != nil {
		t.Errorf("status still has proxies: %+v", request.Parent.Status.Proxy)
	}
}
