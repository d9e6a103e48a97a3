package conditions

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		{"the child is being deleted", &observed.Child{ChildMeta: observed.ChildMeta{DeletionTimestamp: &metav1.Time{}}}, "ServiceMissing"},
		{"the API server rejected the update", &observed.Child{Spec: []byte(`{"port":2}`)}, "ServiceOutdated"},
		{"the child matches, and the API server set a default", &observed.Child{Spec: []byte(`{"port":1,"type":"ClusterIP"}`)}, ""},
	}
	for _, test := range cases {
		pending, err := compareChild(desired, test.observed)
		got := ""
		if pending != nil {
			got = pending.Reason.String()
		}
		if got != test.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
	}
}
