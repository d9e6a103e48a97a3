package memcached

import (
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
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

// TestPolicyOfEndingJob checks that the NetworkPolicy of a Job stays as long as one of its pods may run, also if the Job is not desired: nothing else
// restricts the connections of a pod that ends.
func TestPolicyOfEndingJob(t *testing.T) {
	for _, test := range []struct {
		reason  string
		proxies bool
		pod     bool
		want    bool
	}{
		{"a pod of the Job ends after a move", true, true, true},
		{"a pod of the Job ends, and spec has no proxies", false, true, true},
		{"the pods of the Job have ended", true, false, false},
	} {
		request := proxied(t, 3, "0-2")
		if !test.proxies {
			request.Parent.Spec.Proxy = nil
		}
		if test.pod {
			pod := observed.Pod{Meta: observed.Meta{Name: "cache-move-0-x", Namespace: "web", Labels: children.MoveSelector(request.Parent), DeletionTimestamp: &noon}}
			insert(&request.Related.Pods, pod)
		}
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(response.Children, func(child runtime.Object) bool {
			policy, isPolicy := child.(*networkingv1.NetworkPolicy)
			return isPolicy && policy.Name == "cache-move"
		})
		if got != test.want {
			t.Errorf("%s: the policy is desired: %t, want %t", test.reason, got, test.want)
		}
	}
}
