package memcached

import (
	"fmt"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestMissingWhileInvalid checks that the message of an invalid spec lists the children that are not created again until the spec is
// valid.
func TestMissingWhileInvalid(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*syncRequest)
		want   string // the end of the message; "" if the message lists nothing
	}{
		{"all children exist", func(*syncRequest) {}, ""},
		{"the Service was deleted", func(o *syncRequest) { o.Children.Services = composite.GroupOf[observed.Child]() }, "Service cache"},
		{"the NetworkPolicy was deleted", func(o *syncRequest) { o.Children.NetworkPolicies = composite.GroupOf[observed.Child]() },
			"NetworkPolicy cache (the pods are open to every peer)"},
		{"the PodDisruptionBudget was deleted", func(o *syncRequest) {
			o.Parent.Status.Replicas = 2
			o.Children.PodDisruptionBudgets = composite.GroupOf[observed.Child]()
		}, "PodDisruptionBudget cache"},
		{"the NetworkPolicy is disabled", func(o *syncRequest) {
			o.Parent.Spec.NetworkPolicy.Enabled = new(false)
			o.Children.NetworkPolicies = composite.GroupOf[observed.Child]()
		}, ""},
		{"the CompositeController does not list NetworkPolicies", func(o *syncRequest) { o.Children.NetworkPolicies = composite.Group[observed.Child]{} }, ""},
		{"the Deployment was deleted", func(o *syncRequest) {
			o.Parent.Status.Replicas = 2
			o.Children.Deployments = composite.GroupOf[observed.Workload]()
		}, "Deployment cache"},
		{"nothing was ever created", func(o *syncRequest) { o.Children = noChildren() }, ""},
		{"the proxies were deleted, and their Service and NetworkPolicy", func(o *syncRequest) {
			o.Parent.Spec.Proxy, o.Parent.Status.Proxy = &v1alpha1.Proxy{}, &v1alpha1.ProxyStatus{}
		}, "Deployment cache-proxy, Service cache-proxy, NetworkPolicy cache-proxy (the pods are open to every peer)"},
		{"spec has no proxies any more", func(o *syncRequest) { o.Parent.Status.Proxy = &v1alpha1.ProxyStatus{} }, ""},
	}
	for _, test := range cases {
		request := settled(sample.New(2))
		test.edit(&request)
		request.Parent.Spec.Size = new(int32(-1))
		desired, err := (Config{}).sync(request)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		for _, condition := range desired.Status.Conditions {
			if condition.Type != api.Degraded {
				continue
			}
			_, got, _ := strings.Cut(condition.Message, "not created until the spec is valid: ")
			if got != test.want {
				t.Errorf("%s: the message lists %q, want %q: %s", test.reason, got, test.want, condition.Message)
			}
		}
	}
}

// TestInvalidSpecWithProxies checks that the status has the servers of the StatefulSet, and that Available depends on those that clients reach.
func TestInvalidSpecWithProxies(t *testing.T) {
	cases := []struct {
		reason, label        string
		edit                 func(*syncRequest)
		first, last, missing string
		available            string
	}{
		{"after a change of the pod template", "3-5", func(*syncRequest) {}, "cache-3", "cache-5", "", "ReplicaReady"},
		{"the StatefulSet was deleted", "3-5", func(o *syncRequest) { o.Children.StatefulSets = composite.GroupOf[observed.Workload]() }, "cache-3", "cache-5", "StatefulSet cache", "ReplicaReady"},
		{"no server is ready that clients reach", "0-2_3-5_preparing", func(o *syncRequest) {
			for _, name := range []string{"cache-0", "cache-1", "cache-2"} {
				notReady(o, name)
			}
		}, "cache-0", "cache-5", "", "NoReplicaReady"},
		{"a server is ready that clients reach", "0-2_3-5_preparing", func(o *syncRequest) { notReady(o, "cache-0") }, "cache-0", "cache-5", "", "ReplicaReady"},
	}
	for _, test := range cases {
		request := proxied(t, 3, test.label)
		test.edit(&request)
		request.Parent.Spec.Cache.MaxConnections = new(int64(0))
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Status.Servers; len(got) == 0 || !strings.HasPrefix(got[0], test.first+".") || !strings.HasPrefix(got[len(got)-1], test.last+".") {
			t.Errorf("%s: servers %q, want %s to %s", test.reason, got, test.first, test.last)
		}
		if _, missing, _ := strings.Cut(meta.FindStatusCondition(response.Status.Conditions, api.Degraded).Message, "until the spec is valid: "); missing != test.missing {
			t.Errorf("%s: the message lists %q, want %q", test.reason, missing, test.missing)
		}
		if got := meta.FindStatusCondition(response.Status.Conditions, api.Available); got.Reason != test.available {
			t.Errorf("%s: Available is %+v, want %s", test.reason, got, test.available)
		}
	}
}

// TestInvalidSpecOfLargeCache checks that the children of a cache with as many peers as spec may have, of two labels each, are not too large to be kept.
func TestInvalidSpecOfLargeCache(t *testing.T) {
	request := proxied(t, 3, "0-2_0-3_warming", func(spec *v1alpha1.MemcachedSpec) {
		for i := range 64 {
			spec.NetworkPolicy.From = append(spec.NetworkPolicy.From, networkingv1.NetworkPolicyPeer{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": fmt.Sprintf("shop-%d", i)}},
				PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}},
			})
		}
		spec.Metrics = v1alpha1.Metrics{Enabled: true}
	})
	request.Parent.Spec.Size = new(int32(-1))
	response, err := proxyConfig.sync(request)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Children) < 8 {
		t.Errorf("%d children are kept", len(response.Children))
	}
}
