package diagnosis

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// change returns facts of a cache that moves its items, and the decision for proxies with the routes of a label in a phase.
func change(label string, phase v1alpha1.MovePhase) (moves.Facts, moves.Decision) {
	routes := moves.ParseRoutes(label)
	f := moves.Facts{Now: noon.Time, Size: 9, MaxStep: 1, Interval: time.Minute, Proxies: moves.Proxies{Desired: true, Warmup: 10 * time.Minute}}
	return f, moves.Decision{Routes: routes, Report: moves.Report{Phase: phase, Move: routes.Move}}
}

// TestProgress checks what users read about a change.
func TestProgress(t *testing.T) {
	const room = " If the cluster has no resources for the new pods, restore the previous spec: no item is lost."
	job := func(label string, failed bool) func(*moves.Facts, *moves.Decision) {
		return func(f *moves.Facts, d *moves.Decision) {
			d.Job = moves.DesiredJob{Routes: d.Routes, Rollout: "5"}
			f.Job = &moves.ObservedJob{For: moves.DesiredJob{Routes: moves.ParseRoutes(label), Rollout: "5"}, Servers: 3, Done: 2, Failed: failed}
		}
	}
	until := func(seconds int) func(*moves.Facts, *moves.Decision) {
		return func(_ *moves.Facts, d *moves.Decision) {
			d.Report.Until = new(metav1.NewTime(noon.Add(time.Duration(seconds) * time.Second)))
		}
	}
	deleted := func(f *moves.Facts, _ *moves.Decision) {
		pod := moves.Pod{Name: "cache-1", GraceEnds: new(noon.Add(500 * time.Second))}
		f.Servers = map[int32]moves.Server{1: {Pod: pod, State: moves.ServerHolding, DisruptionReason: "EvictionByEvictionAPI"}}
	}
	copying, announced := "0-2_0-3_warming", "0-3_0-2_announcing"
	cases := []struct {
		reason  string
		label   string
		phase   v1alpha1.MovePhase
		changes []func(*moves.Facts, *moves.Decision)
		want    string
	}{
		{"servers are added", "0-2_0-3_announcing", v1alpha1.MoveAddingServers, nil, "Phase AddingServers (resizing from 3 to 4 servers): It happens."},
		{"a cache starts", "0-2", v1alpha1.MoveWaiting, nil, "Phase Waiting (starting 3 servers): It happens."},
		{"the proxies have left", "0-3", v1alpha1.MoveRemovingServers, []func(*moves.Facts, *moves.Decision){func(f *moves.Facts, _ *moves.Decision) { f.Proxies.Desired = false }},
			"Removing the proxies. Phase RemovingServers (keeping 4 of 4 servers): It happens."},
		{"the template changes", "0-3_4-7_announcing", v1alpha1.MoveAddingServers, nil, "Phase AddingServers (replacing 4 servers with 4 new servers to apply the new pod template): It happens." + room},
		{"a pod has not stopped", "0-2_0-3_closing", v1alpha1.MoveClosing, []func(*moves.Facts, *moves.Decision){func(_ *moves.Facts, d *moves.Decision) { d.Report.OverduePod = moves.Pod{Name: "cache-3"} }},
			"Phase Closing (resizing from 3 to 4 servers): It happens. The move is waiting for pod cache-3, which has not stopped within its grace period. If its node is unreachable, switch the node off, and only then delete its Node object."},
		{"a pod's node does not respond", "0-2_0-3_closing", v1alpha1.MoveClosing, []func(*moves.Facts, *moves.Decision){func(_ *moves.Facts, d *moves.Decision) {
			d.Report.OverduePod = moves.Pod{Name: "cache-proxy-a", NodeLost: true}
		}}, "The move is waiting for pod cache-proxy-a, which may still be running on an unreachable node. Switch the node off, and only then delete its Node object."},
		{"servers are removed", "0-3", v1alpha1.MoveRemovingServers, nil, "Phase RemovingServers (keeping 4 of 4 servers): It happens."},
		{"a server is evicted", "0-2_0-2.1_preparing", v1alpha1.MovePreparing, []func(*moves.Facts, *moves.Decision){deleted},
			"Phase Preparing (moving items from server 1 to a spare): It happens. Pod cache-1 is being deleted (EvictionByEvictionAPI) and stops by 2026-11-21T12:08:20Z."},
		{"nodes of two servers do not respond", "0-2_0-2.1.2-1_preparing", v1alpha1.MovePreparing, []func(*moves.Facts, *moves.Decision){func(f *moves.Facts, _ *moves.Decision) {
			f.Servers = map[int32]moves.Server{1: {Pod: moves.Pod{Name: "cache-1", NodeLost: true}}, 2: {Pod: moves.Pod{Name: "cache-2", NodeLost: true}}}
		}}, "Phase Preparing (moving items from servers 1 and 2 to spares): It happens. The node of pod cache-1 is unreachable. The node of pod cache-2 is unreachable."},
		{"a server has stopped", "0-2_0-2.1_closing", v1alpha1.MoveClosing, nil,
			"Phase Closing (moving items from server 1 to a spare): It happens. Server 1 has stopped, or its grace period has expired."},
		{"it starts again", "0-2.1_0-2_announcing", v1alpha1.MoveAddingServers, nil,
			"Phase AddingServers (moving items back to server 1 from its spare): It happens."},

		{"two start again", "0-2.1.2-1_0-2_announcing", v1alpha1.MoveAddingServers, nil,
			"Phase AddingServers (moving items back to servers 1 and 2 from their spares): It happens."},

		{"the proxies are not available", copying, v1alpha1.MoveWarmingUp, nil, "The warm-up starts once all proxies are available."},
		{"the servers are not ready", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){func(_ *moves.Facts, d *moves.Decision) { d.Report.RolloutEnded = true }}, "The warm-up starts once all new servers are ready."},
		{"the warm-up is over", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){until(-1)}, "The next phase starts once all proxies are available."},
		{"there is no Job", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){until(600)}, "It happens. The next phase starts after 2026-11-21T12:10:00Z."},
		{"the Job is of another move", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){until(600), job("0-2_0-4_warming", false)}, "It happens. The next phase starts after 2026-11-21T12:10:00Z."},
		{"the Job copies", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){until(600), job(copying, false)}, "The Job has copied 2 of 3 servers. The next phase starts when all servers are copied, and by 2026-11-21T12:10:00Z at the latest."},
		{"the Job has failed to copy", copying, v1alpha1.MoveWarmingUp, []func(*moves.Facts, *moves.Decision){until(600), job(copying, true)}, "The Job that copies the items has failed, and the next phase starts after 2026-11-21T12:10:00Z."},
		{"the Job cleans", announced, v1alpha1.MoveCleaning, []func(*moves.Facts, *moves.Decision){job(announced, false)}, "The Job has cleaned 2 of 3 servers."},
		{"the Job has failed to clean", announced, v1alpha1.MoveCleaning, []func(*moves.Facts, *moves.Decision){job(announced, true)}, "The Job has failed, and the next phase starts only after a Job succeeds."},
		{"the move is given up", announced, v1alpha1.MoveCleaning, []func(*moves.Facts, *moves.Decision){job(announced, false), until(10)}, "The change is no longer needed and will be cancelled at 2026-11-21T12:00:10Z."},
	}
	for _, test := range cases {
		f, d := change(test.label, test.phase)
		for _, change := range test.changes {
			change(&f, &d)
		}
		want := strings.Replace(test.want, "It happens.", explanation(f, d.Report), 1)
		if got := Progress(f, d); got == nil || got.Reason != ReasonMoving || !strings.HasSuffix(got.Message, want) {
			t.Errorf("%s: got %+v, want the end %q", test.reason, got, want)
		}
	}
}

// TestExplanation checks that users read what happens in each phase, and what each move waits for.
func TestExplanation(t *testing.T) {
	var reports []moves.Report
	for _, phase := range []v1alpha1.MovePhase{
		v1alpha1.MoveAddingServers, v1alpha1.MoveCleaning, v1alpha1.MovePreparing, v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing, v1alpha1.MoveRemovingServers,
	} {
		reports = append(reports, moves.Report{Phase: phase})
	}
	for _, obstacle := range []moves.Obstacle{
		moves.NoStatefulSet, moves.TemplateNotApplied, moves.TemplateNotObserved, moves.ProxiesNotAvailable, moves.EarlierProxies,
		moves.EarlierServers, moves.PredecessorPods,
	} {
		reports = append(reports, moves.Report{Phase: v1alpha1.MoveWaiting, Obstacle: obstacle})
	}
	for _, report := range reports {
		if got := explanation(moves.Facts{CanRunJob: true}, report); len(got) < 25 || !strings.HasSuffix(got, ".") {
			t.Errorf("phase %s, obstacle %q: the explanation is %q, want a sentence", report.Phase, report.Obstacle, got)
		}
	}
}

// TestProgressOfSteps checks what users read about a change in steps.
func TestProgressOfSteps(t *testing.T) {
	f, _ := change("0-2", "")
	for replicas, want := range map[int32]*conditions.Progress{
		9: nil,
		3: ReasonScaling.Progress("Scaling in steps from 3 to 9 servers. The next step, to 4 servers, starts at least 1m after the previous step, and moves about 25%% of the keys with consistent hashing."),
	} {
		got := Progress(f, moves.Decision{Scaling: &v1alpha1.ScalingStatus{Replicas: replicas}})
		if (got == nil) != (want == nil) || got != nil && (got.Reason != want.Reason || got.Message != want.Message) {
			t.Errorf("%d replicas: got %+v, want %+v", replicas, got, want)
		}
	}
}

// TestRoomRemedy checks that a message says to restore the spec only while that loses no item.
func TestRoomRemedy(t *testing.T) {
	for label, want := range map[string]bool{
		"0-2":                false,
		"0-2_3-5_announcing": true,
		"0-2_3-5_preparing":  true,
		"0-2_3-5_warming":    false, // the items move already
		"0-2_3-5_closing":    false,
		"0-2_0-3_announcing": false, // the size changes
		"0-3_0-2_preparing":  false,
	} {
		f, d := change(label, "")
		if got := RoomRemedy(f, d); (got != "") != want {
			t.Errorf("routes %s: the remedy is %q, want one: %t", label, got, want)
		}
		f.Proxies.Warmup = 0
		if got := RoomRemedy(f, d); got != "" {
			t.Errorf("routes %s: spec replaces pods in place already, and the remedy is %q", label, got)
		}
	}
}

func TestMovedKeysPercent(t *testing.T) {
	cases := []struct {
		reason   string
		from, to int32
		want     int64
	}{
		{"a fourth server gets a quarter of the keys", 3, 4, 25},
		{"the removal of the fourth server moves a quarter of the keys", 4, 3, 25},
		{"a third is rounded", 2, 3, 33},
		{"the first server gets all keys", 0, 1, 100},
		{"the number of servers does not change", 3, 3, 0},
	}
	for _, test := range cases {
		if got := movedKeysPercent(test.from, test.to); got != test.want {
			t.Errorf("%s: %d%%, want %d%%", test.reason, got, test.want)
		}
	}
}
