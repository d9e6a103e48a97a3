package conditions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// TestNewCondition: the API server rejects a status when one condition is invalid.
func TestNewCondition(t *testing.T) {
	long := strings.Repeat("ü", 40000)
	cases := []struct {
		reason                                      string
		givenReason, givenMessage, wantReason, want string
	}{
		{"a valid condition", "ErrImagePull", "not found", "ErrImagePull", "not found"},
		{"a runtime that sets a sentence as the reason", "failed to start: no such file", "", "failedtostartnosuchfile", ""},
		{"a reason starts with a letter", "500 Internal Error", "", "InternalError", ""},
		{"a reason without letters", "…", "", "Unknown", ""},
		{"a reason that is too long", strings.Repeat("A", 2000), "", strings.Repeat("A", 256), ""},
		{"a message that is too long keeps its start", "X", "cause " + long, "X", "cause " + strings.Repeat("ü", (maxMessage-len("cause "))/2) + "…"},
		{"a message of the maximum length", "X", long[:maxMessage], "X", long[:maxMessage]},
		{"a message that is not UTF-8", "X", "bad \xff byte", "X", "bad  byte"},
		{"a termination message that clears the terminal of a reader", "X", "exit 1\x1b[2J\r\nAll is well.", "X", "exit 1 [2J  All is well."},
	}
	for _, test := range cases {
		got := NewCondition(api.Ready, metav1.ConditionFalse, reasonOf(test.givenReason), test.givenMessage)
		if got.Reason != test.wantReason || got.Message != test.want {
			t.Errorf("%s: got %q, %.60q (%d bytes)", test.reason, got.Reason, got.Message, len(got.Message))
		}
	}
}

func TestStampKeepsTheTimeOfTransition(t *testing.T) {
	earlier, now := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	before := []metav1.Condition{
		{Type: api.Ready, Status: metav1.ConditionTrue, Reason: "Old", LastTransitionTime: earlier},
		{Type: api.Degraded, Status: metav1.ConditionFalse, LastTransitionTime: earlier},
		{Type: "Foreign", Status: metav1.ConditionTrue, LastTransitionTime: earlier},
	}
	got := Stamp([]metav1.Condition{
		NewCondition(api.Ready, metav1.ConditionTrue, reasonOf("New"), "same status, other reason"),
		NewCondition(api.Degraded, metav1.ConditionTrue, reasonOf("OOMKilled"), "flipped"),
	}, before, 5, now)
	want := []metav1.Condition{
		{Type: api.Ready, Status: metav1.ConditionTrue, Reason: "New", Message: "same status, other reason", ObservedGeneration: 5, LastTransitionTime: earlier},
		{Type: api.Degraded, Status: metav1.ConditionTrue, Reason: "OOMKilled", Message: "flipped", ObservedGeneration: 5, LastTransitionTime: now},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("only a change of the status is a transition, and conditions of others are dropped (-want +got):\n%s", diff)
	}
	if before[0].Reason != "Old" {
		t.Error("the observed conditions were changed")
	}
}
