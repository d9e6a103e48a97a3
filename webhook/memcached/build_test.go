package memcached

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestDeploymentIgnoresProxies checks that a cache with a Deployment does not follow the label of proxies that it has adopted.
func TestDeploymentIgnoresProxies(t *testing.T) {
	request := settled(sample.New(2))
	adopted := observed.Workload{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "cache-proxy", Namespace: "web"}}, Spec: observed.WorkloadSpec{Replicas: new(int32(2))}}
	adopted.Spec.Template.Metadata.Labels.ProxyRoutes = "3-5"
	insert(&request.Children.Deployments, adopted)
	response, err := (Config{}).sync(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := workloadsOf(response); got != "cache with 2" {
		t.Errorf("the workloads are %s", got)
	}
}

// TestNoNetworkPolicies checks that spec can switch the NetworkPolicies of servers, proxies and the Job off.
func TestNoNetworkPolicies(t *testing.T) {
	request := proxied(t, 4, "0-2_0-3_warming")
	request.Parent.Spec.NetworkPolicy.Enabled = new(false)
	response, err := proxyConfig.sync(request)
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range response.Children {
		if child.GetObjectKind().GroupVersionKind().Kind == "NetworkPolicy" {
			t.Errorf("child %+v", child)
		}
	}
}
