package customimagedeploy

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestReady(t *testing.T) {
	request := func(edit func(*observed.Ingress)) func(*observation) {
		return func(o *observation) {
			i := *o.Children.Ingresses.Get("web", "shop")
			edit(&i)
			o.Children.Ingresses = composite.GroupOf(i)
		}
	}
	address := func(i *observed.Ingress) {
		i.Status.LoadBalancer.Ingress = []observed.LoadBalancerPoint{{Hostname: "lb.example.com"}}
	}
	class := func(edit func(*observation)) func(*observation) {
		return func(o *observation) {
			o.Parent.Spec.IngressClassName = "public"
			o.Children.Ingresses = composite.GroupOf(observedAs[observed.Ingress](ingress(o.Parent)))
			edit(o)
		}
	}
	cases := []struct {
		reason          string
		edit            func(*observation)
		status, because string
		address         string
	}{
		{"without a class nothing promises an address", func(*observation) {}, "True", conditions.ReasonAllReplicasReady, ""},
		{"an address that comes all the same is told", request(address), "True", conditions.ReasonAllReplicasReady, "lb.example.com"},
		{"a class names a controller that has to bring an address", class(func(*observation) {}), "False", ReasonAddressPending, ""},
		{"and then it is reached", class(request(address)), "True", conditions.ReasonAllReplicasReady, "lb.example.com"},
		{
			"without a Service nobody reaches the pods, however ready they are",
			func(o *observation) { o.Children.Services = composite.GroupOf[observed.Child]() },
			"False", "ServiceMissing", "",
		},
		{
			"nor do they without an Ingress",
			func(o *observation) { o.Children.Ingresses = composite.GroupOf[observed.Ingress]() },
			"False", "IngressMissing", "",
		},
		{
			"nor through one that is going",
			request(func(i *observed.Ingress) { i.DeletionTimestamp = &metav1.Time{} }),
			"False", "IngressMissing", "",
		},
		{
			"pods come first: nothing is published before they run",
			func(o *observation) { o.Children = children{} },
			"False", conditions.ReasonRollingOut, "",
		},
	}
	for _, test := range cases {
		request := running(sample())
		test.edit(&request)
		got, _, err := assess(&request, published(request.Parent))
		if err != nil {
			t.Fatal(err)
		}
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
