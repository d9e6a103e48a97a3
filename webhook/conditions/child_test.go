package conditions

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// TestCompareChild: a child that an apply would change does not match the desired state.
func TestCompareChild(t *testing.T) {
	desired := desiredChild(t, `{"name":"x"}`, `{"port":1}`)
	desired.SetKind("Service")
	cases := []struct {
		reason   string
		observed any
		want     string
	}{
		{"the child does not exist", nil, "ServiceMissing"},
		{"the child is being deleted", &observed.Child{ChildMeta: observed.ChildMeta{Meta: observed.Meta{DeletionTimestamp: &metav1.Time{}}}}, "ServiceMissing"},
		{"the API server rejected the update", &observed.Child{Spec: []byte(`{"port":2}`)}, "ServiceOutdated"},
		{"the child matches, and the API server set a default", &observed.Child{Spec: []byte(`{"port":1,"type":"ClusterIP"}`)}, ""},
	}
	for _, test := range cases {
		state, err := compareChild(desired, test.observed, nil)
		got := ""
		if state.pending != nil {
			got = state.pending.Reason.String()
		}
		if got != test.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
	}
}

// TestPendingChildNamesTheChange: the API server refused the update of two children. The Deployment differs only in the annotations
// of the operator, so the message names the field of the Service, which a user changed.
func TestPendingChildNamesTheChange(t *testing.T) {
	const record = `{"name":"x","annotations":{"memcached-operator.example.com/parent-generation":"7"}}`
	o := settled(t)
	deployment, service := desiredChild(t, record, `{}`), desiredChild(t, `{"name":"x"}`, `{"port":1}`)
	deployment.SetKind("Deployment")
	service.SetKind("Service")
	o.Children = []runtime.Object{deployment, service}
	cases := []struct{ reason, port, want string }{
		{"a field of the Service differs", "2", "Service x differs from the desired state in spec.port. Check the Events of this resource."},
		{"nothing else differs", "1", "Deployment x has not been updated to match the latest change to this resource. Check the Events of this resource."},
	}
	for _, test := range cases {
		o.Child = func(desired runtime.Object) any {
			if desired == runtime.Object(deployment) {
				return &observed.Child{Spec: []byte(`{}`)}
			}
			return &observed.Child{Spec: []byte(`{"port":` + test.port + `}`)}
		}
		got, _, err := compareChildren(o.Input)
		if err != nil || got == nil || got.Message != test.want {
			t.Errorf("%s: got %+v, %v, want %q", test.reason, got, err, test.want)
		}
	}
}
