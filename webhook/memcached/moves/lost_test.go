package moves

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// lost lets the nodes of servers not respond: their pods are being deleted, and exist.
func lost(ordinals ...int32) func(*Facts) {
	return func(f *Facts) {
		for _, ordinal := range ordinals {
			pod := Pod{Name: fmt.Sprintf("cache-%d", ordinal), GraceEnds: new(noon.Add(time.Minute)), NodeLost: true}
			f.Servers[ordinal] = Server{Pod: pod, State: ServerStuck, Updated: true}
		}
	}
}

// rolling lets a proxy of the steady phase before the move run.
func rolling(f *Facts) { f.Proxies.Pods[0].Routes = steadyRoutes(f.Proxies.Pods[0].Routes.From) }

// TestLost checks the decisions about a cache with servers whose nodes do not respond.
func TestLost(t *testing.T) {
	cases := []moveCase{
		{"one node does not respond", 3, 3, "0-2", lost(1), "0-2", "0-2_0-2.1_announcing", adding},
		{"a node with two servers", 3, 3, "0-2", lost(0, 1), "0-2", "0-2_0-2.0.1-1_announcing", adding},
		{"all nodes: the spares have the room, or wait for it", 3, 3, "0-2", lost(0, 1, 2), "0-2", "0-2_0-2.0.1-1.2-2_announcing", adding},
		{"more than four: the others have their turn when slots are back", 5, 5, "0-4", lost(0, 1, 2, 3, 4), "0-4", "0-4_0-4.0.1-1.2-2.3-3_announcing", adding},
		{"without a warm-up too: its keys cannot be stored", 3, 3, "0-2", all(lost(1), cold), "0-2", "0-2_0-2.1_announcing", adding},
		{"without a warm-up, the spare is ready", 3, 4, "0-2_0-2.1_announcing", all(lost(1), cold), "0-3", "0-2.1", ""},
		{"the size is 0", 0, 3, "0-2", lost(1), "0-2", "0-2", removing},
		{"the size is 0, in steps, and no smaller step is possible", 0, 4, "0-2.1", all(steps, lost(1)), "0-3", "0-2.1", removing},

		{"the spare is ready", 3, 4, "0-2_0-2.1_announcing", lost(1), "0-3", "0-2_0-2.1_preparing", preparing},
		{"another node does not respond while proxies without spares run", 3, 4, "0-2_0-2.1_announcing", all(lost(1, 2), rolling), "0-3", "0-2_0-2.1.2-1_announcing", adding},
		{"the node of the spare does not respond either", 3, 4, "0-2_0-2.1_announcing", all(lost(1, 3), rolling), "0-3", "0-2_0-2.1-1_announcing", adding},
		{"so late that proxies have to forget the spare first", 3, 4, "0-2_0-2.1_announcing", all(lost(1, 3), until(-1)), "0-3", "0-2", removing},
		{"the node of the spare does not respond once proxies know it", 3, 4, "0-2_0-2.1_preparing", lost(1, 3), "0-3", "0-2_0-2.1_announcing", adding},
		{"another node does not respond once proxies know the spare", 3, 4, "0-2_0-2.1_preparing", lost(0, 1), "0-3", "0-2_0-2.1_warming", warmUp},
		{"the server responds again before proxies know the spare", 3, 4, "0-2_0-2.1_announcing", until(-1), "0-3", "0-2", removing},
		{"nothing reads the server", 3, 4, "0-2_0-2.1_warming", all(lost(1), until(100)), "0-3", "0-2_0-2.1_closing", closing},
		{"a Job reads it: it may run on", 3, 4, "0-2_0-2.1_warming", all(lost(1), until(100), cleans), "0-3", "0-2_0-2.1_warming", warmUp},
		{"the Job has given it up", 3, 4, "0-2_0-2.1_warming", all(lost(1), until(100), hurries, func(f *Facts) { f.Job.Failed = true }), "0-3", "0-2_0-2.1_closing", closing},

		{"on a spare, until the node responds", 3, 4, "0-2.1", lost(1), "0-3", "0-2.1", ""},
		{"the node of the spare does not respond: another spare", 3, 4, "0-2.1", lost(1, 3), "0-3", "0-2.1_0-2.1-1_announcing", adding},
		{"another node does not respond: another spare", 3, 4, "0-2.1", lost(1, 2), "0-3", "0-2.1_0-2.1.2-1_announcing", adding},
		{"one of two responds again: its slot returns", 3, 5, "0-2.1.2-1", lost(2), "0-4", "0-2.1.2-1_0-2.2-1_announcing", adding},
		{"both respond again", 3, 5, "0-2.1.2-1", nil, "0-4", "0-2.1.2-1_0-2_announcing", adding},
		{"a former spare between others is used again, and cleaned", 3, 5, "0-2.2-1", all(lost(0, 2), func(f *Facts) { f.CanRunJob = true }), "0-4", "0-2.2-1_0-2.0.2-1_announcing", adding},
		{"a former spare has old items, and nothing can clean it", 3, 5, "0-2.2-1", lost(0, 2), "0-4", "0-2.2-1_0-2.0-2.2-1_announcing", adding},
		{"a pod that was not ready when its node died has not ended", 3, 3, "0-2", all(ending(1, -61), changed(Range{1, 1}, func(s *Server) { s.State = ServerStuck })), "0-2", "0-2_0-2.1_announcing", adding},
		{"the template is edited again, and the StatefulSet replaces no pod", 3, 7, "0-2.1_4-6_announcing", all(lost(1), until(-1), func(f *Facts) {
			f.Servers[0], f.Servers[5] = Server{State: ServerReady}, Server{State: ServerReady}
		}), "0-6", "0-2.1", removing},
		{"the size changes without a warm-up: the next range", 4, 4, "0-2.1", all(lost(1), cold), "0-3", "0-2.1_4-7_announcing", adding},
		{"the size changes: the next range", 4, 4, "0-2.1", lost(1), "0-3", "0-2.1_4-7_announcing", adding},
		{"the template changes without a warm-up: the next range", 3, 4, "0-2.1", all(lost(1), cold, func(f *Facts) { f.Servers[0] = Server{State: ServerReady} }), "0-3", "0-2.1_4-6_announcing", adding},
		{"the template changes: the next range", 3, 4, "0-2.1", all(lost(1), func(f *Facts) { f.Servers[0] = Server{State: ServerReady} }), "0-3", "0-2.1_4-6_announcing", adding},

		{"the size grows to an ordinal whose former pod exists on such a node", 4, 3, "0-2", lost(3), "0-2", "0-2_0-3.3_announcing", adding},
		{"so does the next range", 3, 3, "0-2", all(lost(4), func(f *Facts) { f.Servers[0] = Server{State: ServerReady} }), "0-2", "0-2_3-5.4_announcing", adding},
	}
	checkMoves(t, cases)
}

// hurries lets the Job run that gives up servers which do not respond.
func hurries(f *Facts) {
	f.CanRunJob, f.Job = true, &ObservedJob{For: DesiredJob{f.Proxies.Deployment.Routes, rollout.String(), "1"}}
}

// TestLostLabels checks that labels have room for each move with spares, and that they are read as they were written.
func TestLostLabels(t *testing.T) {
	for _, test := range []struct {
		slots Range
		want  int
	}{{Range{0, 5}, 4}, {Range{1, 1000}, 3}, {Range{40, 5}, 4}, {Range{400, 20}, 3}, {Range{10_000, 1000}, 2}, {Range{999_998_000, 1000}, 1}} {
		f := factsOf(test.slots.Count, 1, poolOf(test.slots).String())
		f.Workload.Ordinals, f.Servers = test.slots, map[int32]Server{}
		for ordinal := range 5 {
			lost(test.slots.End() - 5 + int32(ordinal))(f)
		}
		from := poolOf(test.slots)
		to := f.situation().target(from)
		if got := len(to.Spares()); got != test.want {
			t.Errorf("%d slots of %s move, want %d", got, test.slots, test.want)
		}
		all := []Routes{{Move{from, to}, Announcing}, {Move{to, from}, Announcing}, steadyRoutes(to)}
		for _, spare := range to.Spares() {
			all = append(all, Routes{Move{to, to.withOwn(spare.For)}, Announcing})
		}
		for _, r := range all {
			if text := r.String(); r.From != r.To && ParseRoutes(text) != r || len(validation.IsValidLabelValue(text)) > 0 {
				t.Errorf("label %s is read as %s: %v", text, ParseRoutes(text), validation.IsValidLabelValue(text))
			}
		}
	}
}
