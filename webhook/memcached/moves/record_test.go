package moves

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestRecordedServers checks that status has the servers of each phase: keys belong to the servers that serve.
func TestRecordedServers(t *testing.T) {
	cases := []struct {
		reason, label  string
		servers, other string
	}{
		{"no change", "0-2", "0-2", ""},
		{"the other servers may not run yet", "0-2_0-3_announcing", "0-2", ""},
		{"items are about to move to the other servers", "0-2_0-3_preparing", "0-2", "0-3"},
		{"items move away from the other servers", "0-2_0-3_warming", "0-3", "0-2"},
		{"what is left on the other servers is given up", "0-2_0-3_closing", "0-3", "0-2"},
		{"a decrease is about to begin", "0-3_0-2_preparing", "0-3", "0-2"},
		{"a decrease", "0-3_0-2_warming", "0-2", "0-3"},
	}
	for _, test := range cases {
		status := record(ParseRoutes(test.label), v1alpha1.Revision{}, Report{}, nil, noon)
		if status.Servers != test.servers || status.OtherServers != test.other {
			t.Errorf("%s: servers %q serve and the others are %q, want %q and %q", test.reason, status.Servers, status.OtherServers, test.servers, test.other)
		}
	}
}

// TestRecordedTimes checks how long status says that a move has taken: from Preparing, when its servers are ready, until its items have moved.
func TestRecordedTimes(t *testing.T) {
	begun, earlier := metav1.NewTime(noon.Add(-90*time.Second)), metav1.NewTime(noon.Add(-time.Hour))
	move := func(phase v1alpha1.MovePhase, to int32, since *metav1.Time) *v1alpha1.MoveStatus {
		return &v1alpha1.MoveStatus{For: v1alpha1.MoveResize, From: 3, To: to, Phase: phase, Since: since}
	}
	report := func(phase v1alpha1.MovePhase, to int32) Report {
		return Report{Phase: phase, Move: Move{poolOf(Range{0, 3}), poolOf(Range{0, to})}}
	}
	for _, test := range []struct {
		reason  string
		before  *v1alpha1.MoveStatus
		now     Report
		since   *metav1.Time
		seconds int64
	}{
		{"its servers start, which may take long", nil, report(adding, 4), nil, 7},
		{"it begins", move(adding, 4, nil), report(preparing, 4), new(metav1.NewTime(noon)), 7},
		{"it goes on", move(preparing, 4, &begun), report(warmUp, 4), &begun, 7},
		{"its items have moved", move(warmUp, 4, &begun), report(closing, 4), &begun, 90},
		{"the phase is repeated", move(closing, 4, &earlier), report(closing, 4), &earlier, 7},
		{"the status before is lost", move(warmUp, 4, nil), report(closing, 4), new(metav1.NewTime(noon)), 7},
		{"another move is under way", move(warmUp, 5, &begun), report(closing, 4), new(metav1.NewTime(noon)), 7},
		{"servers are removed", move(closing, 4, &begun), report(removing, 4), nil, 7},
		{"nothing moves", move(removing, 4, nil), Report{}, nil, 7},
	} {
		status := record(Routes{}, v1alpha1.Revision{}, test.now, &v1alpha1.ProxyStatus{Move: test.before, LastMoveSeconds: 7}, noon)
		if status.LastMoveSeconds != test.seconds || status.Move != nil && !status.Move.Since.Equal(test.since) {
			t.Errorf("%s: the last move took %d s, and status has %+v; want %d s and since %s", test.reason, status.LastMoveSeconds, status.Move, test.seconds, test.since)
		}
	}
}
