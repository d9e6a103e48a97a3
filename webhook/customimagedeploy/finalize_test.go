package customimagedeploy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestFinalize(t *testing.T) {
	cases := []struct {
		reason    string
		edit      func(*syncRequest)
		keep      []string
		finalized bool
	}{
		{"a Deployment that is already deleted is not created again", func(r *syncRequest) { r.Children.Deployments = composite.GroupOf[observed.Workload]() }, []string{"Service"}, false},
		{
			"an Ingress with another name keeps the Service too",
			func(r *syncRequest) {
				r.Children.Ingresses = composite.GroupOf(observed.Ingress{Child: observed.Child{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Name: "old", Namespace: "web"}}}})
			},
			[]string{"Deployment", "Service"}, false,
		},
		{
			"orphans remain, and the parent does not wait for them",
			func(r *syncRequest) { r.Parent.Finalizers = []string{"other", metav1.FinalizerOrphanDependents} },
			[]string{"Deployment", "Service", "Ingress"}, true,
		},
		{
			"with foreground deletion the parent waits",
			func(r *syncRequest) { r.Parent.Finalizers = []string{metav1.FinalizerDeleteDependents} },
			[]string{"Deployment", "Service"}, false,
		},
		{"an invalid spec does not change the order", func(r *syncRequest) { r.Parent.Spec.Port = nil }, []string{"Deployment", "Service"}, false},
		{
			"with an invalid spec and an unknown last applied child nothing remains",
			func(r *syncRequest) {
				r.Parent.Spec.Port = nil
				for child := range r.Children.Services.All() {
					child.Annotations = nil
				}
			},
			nil, false,
		},
		{
			"orphans remain, although somebody has removed the namespace of the last applied Service",
			func(r *syncRequest) {
				r.Parent.Finalizers = []string{metav1.FinalizerOrphanDependents}
				for child := range r.Children.Services.All() {
					last := child.Annotations[observed.LastAppliedAnnotation]
					child.Annotations[observed.LastAppliedAnnotation] = strings.Replace(last, `"namespace":"web",`, "", 1)
				}
			},
			[]string{"Deployment", "Service", "Ingress"}, true,
		},
		{
			"an unknown last applied child follows from spec",
			func(r *syncRequest) {
				for child := range r.Children.Services.All() {
					child.Annotations = nil
				}
			},
			[]string{"Deployment", "Service"}, false,
		},
		{"an invalid parent without children", func(r *syncRequest) { r.Parent.Spec.Port, r.Children = nil, childGroups{} }, nil, true},
	}
	for _, test := range cases {
		request := running(sample())
		request.Finalizing = true
		test.edit(&request)
		desired, err := finalize(request)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		if diff := cmp.Diff(test.keep, kindsOf(desired.Children)); diff != "" || desired.Finalized != test.finalized {
			t.Errorf("%s: finalized is %t, keeps (-want +got):\n%s", test.reason, desired.Finalized, diff)
		}
		again, err := finalize(request)
		if diff := cmp.Diff(desired, again); diff != "" || err != nil {
			t.Errorf("%s: the same request has another response (%v):\n%s", test.reason, err, diff)
		}
	}
}

// TestFinalizeKeepsUnknownOrphans checks that no response deletes children that shall remain, if they follow neither from an annotation nor from spec.
func TestFinalizeKeepsUnknownOrphans(t *testing.T) {
	request := running(sample())
	request.Finalizing = true
	request.Parent.Finalizers = []string{metav1.FinalizerOrphanDependents}
	request.Parent.Spec.Port = nil
	for child := range request.Children.Services.All() {
		child.Annotations = nil
	}
	if _, err := finalize(request); err == nil || !strings.Contains(err.Error(), "spec.port") {
		t.Errorf("finalize returns %v, want the error of spec.port", err)
	}
}
