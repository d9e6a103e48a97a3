package conditions

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/api"
)

func TestInvalidStatus(t *testing.T) {
	o := settled(t)
	status := InvalidStatus(o.Input, errors.New("spec.size: Invalid value"))
	got := map[string]string{}
	for _, condition := range status.Conditions {
		got[condition.Type] = string(condition.Status) + " " + condition.Reason
	}
	want := map[string]string{api.Available: "True ReplicaReady", api.Ready: "False InvalidSpec", api.Progressing: "False InvalidSpec", api.Degraded: "True InvalidSpec", api.Stalled: "True InvalidSpec"}
	if diff := cmp.Diff(want, got); diff != "" || status.ReadyReplicas != 3 {
		t.Errorf("the pods still run, and the conditions report why nothing changes (-want +got):\n%s", diff)
	}
}
