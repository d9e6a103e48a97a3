package customimagedeploy

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestReady(t *testing.T) {
	withIngress := func(edit func(*observed.Ingress)) func(*syncRequest) {
		return func(r *syncRequest) {
			i := *r.Children.Ingresses.Get("web", "shop")
			edit(&i)
			r.Children.Ingresses = composite.GroupOf(i)
		}
	}
	setAddress := func(i *observed.Ingress) {
		i.Status.LoadBalancer.Ingress = []observed.LoadBalancerPoint{{Hostname: "lb.example.com"}}
	}
	withClass := func(edit func(*syncRequest)) func(*syncRequest) {
		return func(r *syncRequest) {
			r.Parent.Spec.IngressClassName = "public"
			r.Children.Ingresses = composite.GroupOf(requests.Applied[observed.Ingress](ingress(r.Parent)))
			edit(r)
		}
	}
	cases := []struct {
		reason          string
		edit            func(*syncRequest)
		status, because string
		address         string
	}{
		{"without a class no address is awaited", func(*syncRequest) {}, "True", "AllReplicasReady", ""},
		{"an address is reported without a class too", withIngress(setAddress), "True", "AllReplicasReady", "lb.example.com"},
		{"with a class an address is awaited", withClass(func(*syncRequest) {}), "False", "AddressPending", ""},
		{"with a class and an address", withClass(withIngress(setAddress)), "True", "AllReplicasReady", "lb.example.com"},
		{
			"the Service is missing",
			func(r *syncRequest) { r.Children.Services = composite.GroupOf[observed.Child]() },
			"False", "ServiceMissing", "",
		},
		{
			"the Ingress is missing",
			func(r *syncRequest) { r.Children.Ingresses = composite.GroupOf[observed.Ingress]() },
			"False", "IngressMissing", "",
		},
		{
			"the Ingress is being deleted",
			withIngress(func(i *observed.Ingress) { i.DeletionTimestamp = &metav1.Time{} }),
			"False", "IngressMissing", "",
		},
		{
			"no child exists yet: the reason is the rollout",
			func(r *syncRequest) { r.Children = childGroups{} },
			"False", "RollingOut", "",
		},
	}
	for _, test := range cases {
		request := running(sample())
		test.edit(&request)
		desired, err := sync(request)
		if err != nil {
			t.Fatal(err)
		}
		got := desired.Status
		ready := meta.FindStatusCondition(got.Conditions, api.Ready)
		if string(ready.Status) != test.status || ready.Reason != test.because {
			t.Errorf("%s: Ready is %s because of %s, want %s because of %s", test.reason, ready.Status, ready.Reason, test.status, test.because)
		}
		if got.Address != test.address {
			t.Errorf("%s: the address is %q, want %q", test.reason, got.Address, test.address)
		}
		progressing := meta.FindStatusCondition(got.Conditions, api.Progressing)
		if (progressing.Status == metav1.ConditionTrue) == (ready.Status == metav1.ConditionTrue) {
			t.Errorf("%s: Ready is %s and Progressing %s", test.reason, ready.Status, progressing.Status)
		}
	}
}
