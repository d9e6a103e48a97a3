package memcached

import (
	"strings"
	"testing"

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
		{"the proxies were deleted, and their Service and NetworkPolicy", func(o *syncRequest) { o.Parent.Status.Proxy = &v1alpha1.ProxyStatus{} },
			"Deployment cache-proxy, Service cache-proxy, NetworkPolicy cache-proxy (the pods are open to every peer)"},
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
			_, got, _ := strings.Cut(condition.Message, "created again until the spec is valid: ")
			if got != test.want {
				t.Errorf("%s: the message lists %q, want %q: %s", test.reason, got, test.want, condition.Message)
			}
		}
	}
}
