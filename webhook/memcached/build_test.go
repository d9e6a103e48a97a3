package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestChildrenOfTheJob checks that the Job of a warm-up has a NetworkPolicy as long as it exists. No child is desired that Metacontroller would
// not delete, because the CompositeController does not list its kind.
func TestChildrenOfTheJob(t *testing.T) {
	cases := []struct {
		reason string
		label  string
		edit   func(*syncRequest)
		want   []string
	}{
		{"a warm-up", "0-2_0-3_warming", func(*syncRequest) {}, []string{"Job", "NetworkPolicy"}},
		{"spec has no NetworkPolicies", "0-2_0-3_warming", func(o *syncRequest) { o.Parent.Spec.NetworkPolicy.Enabled = new(false) }, []string{"Job"}},
		{"NetworkPolicies are not listed", "0-2_0-3_warming", func(o *syncRequest) { o.Children.NetworkPolicies = composite.Group[observed.Child]{} }, []string{"Job"}},
		{"Jobs are not listed", "0-2_0-3_warming", func(o *syncRequest) { o.Children.Jobs = composite.Group[observed.Job]{} }, nil},
		{"the warm-up has ended", "0-2_0-3_closing", func(*syncRequest) {}, nil},
	}
	for _, test := range cases {
		request := proxied(t, 4, test.label)
		test.edit(&request)
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, child := range response.Children {
			if child.(metav1.Object).GetName() == proxy.JobName(request.Parent) {
				got = append(got, child.GetObjectKind().GroupVersionKind().Kind)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: children of the Job (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestDeploymentIgnoresProxies checks that a cache with a Deployment does not follow the label of proxies that it has adopted.
func TestDeploymentIgnoresProxies(t *testing.T) {
	request := settled(sample.New(2))
	adopted := observed.Workload{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "cache-proxy", Namespace: "web"}}, Spec: observed.WorkloadSpec{Replicas: new(int32(2))}}
	adopted.Spec.Template.Metadata.Labels = map[string]string{proxy.RoutesLabel: "3-5"}
	insert(&request.Children.Deployments, adopted)
	response, err := (Config{}).sync(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := workloadsOf(response); got != "cache with 2" {
		t.Errorf("the workloads are %s", got)
	}
}
