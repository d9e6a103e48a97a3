package customimagedeploy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestFinalize(t *testing.T) {
	cases := []struct {
		reason    string
		edit      func(*observation)
		keep      []string
		finalized bool
	}{
		{"first nobody may be sent here any more", func(*observation) {}, []string{"Deployment", "Service"}, false},
		{
			"a load balancer that goes slowly still sends requests",
			func(o *observation) {
				going := observed.Ingress{Child: observed.Child{ChildMeta: observed.ChildMeta{Name: "shop", Namespace: "web", DeletionTimestamp: &metav1.Time{}}}}
				o.Children.Ingresses = composite.GroupOf(going)
			},
			[]string{"Deployment", "Service"}, false,
		},
		{"then the Service may go", func(o *observation) { o.Children.Ingresses = composite.GroupOf[observed.Ingress]() }, []string{"Deployment"}, false},
		{
			"then the Deployment",
			func(o *observation) {
				o.Children.Ingresses, o.Children.Services = composite.GroupOf[observed.Ingress](), composite.GroupOf[observed.Child]()
			},
			nil, false,
		},
		{"then the parent", func(o *observation) { o.Children = children{} }, nil, true},
		{"a Service that is gone already is not made anew", func(o *observation) { o.Children.Services = composite.GroupOf[observed.Child]() }, []string{"Deployment"}, false},
		{"nor is a Deployment", func(o *observation) { o.Children.Deployments = composite.GroupOf[observed.Workload]() }, []string{"Service"}, false},
		{
			"an Ingress under another name holds back what is behind it too",
			func(o *observation) {
				o.Children.Ingresses = composite.GroupOf(observed.Ingress{Child: observed.Child{ChildMeta: observed.ChildMeta{Name: "old", Namespace: "web"}}})
			},
			[]string{"Deployment", "Service"}, false,
		},
		{
			"children that are to be orphans stay, and the parent does not wait for them",
			func(o *observation) { o.Parent.Finalizers = []string{"other", metav1.FinalizerOrphanDependents} },
			[]string{"Deployment", "Service", "Ingress"}, true,
		},
		{
			"in the foreground the garbage collector takes them down, and the parent waits",
			func(o *observation) { o.Parent.Finalizers = []string{metav1.FinalizerDeleteDependents} },
			[]string{"Deployment", "Service"}, false,
		},
		{"a spec that is invalid by now does not change the order", func(o *observation) { o.Parent.Spec.Port = nil }, []string{"Deployment", "Service"}, false},
		{
			"without a valid spec and without what was applied last there is nothing to keep",
			func(o *observation) {
				o.Parent.Spec.Port = nil
				for service := range o.Children.Services.All() {
					service.Annotations = nil
				}
			},
			nil, false,
		},
		{
			"what was not recorded follows from spec",
			func(o *observation) {
				for service := range o.Children.Services.All() {
					service.Annotations = nil
				}
			},
			[]string{"Deployment", "Service"}, false,
		},
		{"and goes once all is gone", func(o *observation) { o.Parent.Spec.Port, o.Children = nil, children{} }, nil, true},
	}
	for _, test := range cases {
		request := running(sample())
		request.Finalizing = true
		test.edit(&request)
		desired, err := finalize(request)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		if diff := cmp.Diff(test.keep, kinds(desired.Children)); diff != "" || desired.Finalized != test.finalized {
			t.Errorf("%s: finalized is %t, keeps (-want +got):\n%s", test.reason, desired.Finalized, diff)
		}
		again, err := finalize(request)
		if diff := cmp.Diff(desired, again); diff != "" || err != nil {
			t.Errorf("%s: asked again it answers otherwise (%v):\n%s", test.reason, err, diff)
		}
	}
}

func TestFinalizeReports(t *testing.T) {
	request := running(sample())
	request.Finalizing = true
	desired, err := finalize(request)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, condition := range desired.Status.Conditions {
		got[condition.Type] = string(condition.Status) + " " + condition.Reason
	}
	want := map[string]string{
		api.Available:   "True " + conditions.ReasonReplicaReady, // the pods still serve who knows them
		api.Ready:       "False " + ReasonTerminating,
		api.Progressing: "True " + ReasonTerminating,
		api.Degraded:    "False " + conditions.ReasonAsExpected,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who waits for the end wants to read where it stands (-want +got):\n%s", diff)
	}
}
