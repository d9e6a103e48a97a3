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
		status := situation{}.record(ParseRoutes(test.label), Report{})
		if status.Servers != test.servers || status.OtherServers != test.other {
			t.Errorf("%s: servers %q serve and the others are %q, want %q and %q", test.reason, status.Servers, status.OtherServers, test.servers, test.other)
		}
	}
}

// TestRecordedTimes checks how long status says that the items of a server have taken: from Preparing, when the servers of the move are ready, until
// they have moved.
func TestRecordedTimes(t *testing.T) {
	begun, earlier := metav1.NewTime(noon.Add(-90*time.Second)), metav1.NewTime(noon.Add(-time.Hour))
	move := func(routes string, phase v1alpha1.MovePhase, since *metav1.Time) *v1alpha1.MoveStatus {
		last := Report{Phase: phase, Move: ParseRoutes(routes).Move}.status(nil, noon)
		last.Since = since
		return last
	}
	for _, test := range []struct {
		reason string
		before *v1alpha1.MoveStatus
		routes string
		now    v1alpha1.MovePhase
		since  *metav1.Time
		took   int64
	}{
		{"its servers start, which may take long", nil, "0-2_0-2.1_announcing", adding, nil, 7},
		{"it begins", move("0-2_0-2.1_announcing", adding, nil), "0-2_0-2.1_preparing", preparing, new(metav1.NewTime(noon)), 7},
		{"it goes on", move("0-2_0-2.1_preparing", preparing, &begun), "0-2_0-2.1_warming", warmUp, &begun, 7},
		{"its items have moved", move("0-2_0-2.1_warming", warmUp, &begun), "0-2_0-2.1_closing", closing, &begun, 90},
		{"two proxies have moved the items of five servers, in three rounds", move("0-4_5-9_warming", warmUp, &begun), "0-4_5-9_closing", closing, &begun, 30},
		{"an increase moves a part of the items of each server", move("0-2_0-3_warming", warmUp, &begun), "0-2_0-3_closing", closing, &begun, 7},
		{"the slot returns with what its spare got in time", move("0-2.1_0-2_warming", warmUp, &begun), "0-2.1_0-2_closing", closing, &begun, 7},
		{"the phase is repeated", move("0-2_0-2.1_closing", closing, &earlier), "0-2_0-2.1_closing", closing, &earlier, 7},
		{"the status before is lost", move("0-2_0-2.1_warming", warmUp, nil), "0-2_0-2.1_closing", closing, new(metav1.NewTime(noon)), 7},
		{"another move is under way", move("0-4_5-9_warming", warmUp, &begun), "0-2_0-2.1_closing", closing, new(metav1.NewTime(noon)), 7},
		{"servers are removed", move("0-2_0-3_closing", closing, &begun), "0-2_0-3_closing", removing, nil, 7},
		{"nothing moves", move("0-2_0-3_closing", removing, nil), "0-2", "", nil, 7},
	} {
		s := situation{Facts: Facts{Now: noon, Proxies: Proxies{Replicas: 2}, Status: &v1alpha1.MemcachedStatus{Proxy: &v1alpha1.ProxyStatus{Move: test.before, SecondsPerServer: 7}}}}
		status := s.record(Routes{}, Report{Phase: test.now, Move: ParseRoutes(test.routes).Move})
		if status.SecondsPerServer != test.took || status.Move != nil && !status.Move.Since.Equal(test.since) {
			t.Errorf("%s: a server took %d s, and status has %+v; want %d s and since %s", test.reason, status.SecondsPerServer, status.Move, test.took, test.since)
		}
	}
}
