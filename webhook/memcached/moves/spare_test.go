package moves

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ending lets a server be deleted, with so many seconds left.
func ending(ordinal int32, seconds int) func(*Facts) {
	return func(f *Facts) {
		pod, state := Pod{Name: "cache-1", GraceEnds: new(noon.Add(time.Duration(seconds) * time.Second))}, ServerHolding
		if seconds < 0 {
			state = ServerEnding
		}
		f.Servers[ordinal] = Server{Pod: pod, State: state, Updated: true}
	}
}

// starting lets a server that was deleted start again.
func starting(f *Facts) { f.Servers[1] = Server{Updated: true} }

func cold(f *Facts) { f.Proxies.Warmup = 0 }

// moveCase is what a cache decides, of so many desired and existing servers, whose proxies have the routes of a label.
type moveCase struct {
	reason    string
	size, run int32
	label     string
	change    func(*Facts)
	wantRun   string
	wantLabel string
	wantPhase v1alpha1.MovePhase
}

// checkMoves checks the servers, routes and phase of each decision.
func checkMoves(t *testing.T, cases []moveCase) {
	t.Helper()
	for _, test := range cases {
		f := factsOf(test.size, test.run, test.label)
		if test.change != nil {
			test.change(f)
		}
		got := f.Decide()
		var phase v1alpha1.MovePhase
		if got.ProxyStatus.Move != nil {
			phase = got.ProxyStatus.Move.Phase
		}
		if got.Ordinals.String() != test.wantRun || got.Routes.String() != test.wantLabel || phase != test.wantPhase {
			t.Errorf("%s:\n got %s, %s %s\nwant %s, %s %s", test.reason, got.Ordinals, got.Routes, phase, test.wantRun, test.wantLabel, test.wantPhase)
		}
	}
}

// TestSpare checks the decisions about a cache with a server that is being deleted.
func TestSpare(t *testing.T) {
	const away, back = "0-2_0-2.1_", "0-2.1_0-2_"
	cases := []moveCase{
		{"a server is being deleted", 3, 3, "0-2", ending(1, 500), "0-2", away + "announcing", adding},
		{"its time is over: its node may be lost", 3, 3, "0-2", ending(1, -1), "0-2", "0-2", ""},
		{"it does not hold", 3, 3, "0-2", all(ending(1, 500), changed(Range{1, 1}, func(s *Server) { s.State = ServerEnding })), "0-2", "0-2", ""},
		{"items do not move", 3, 3, "0-2", all(ending(1, 500), cold), "0-2", "0-2", ""},
		{"two servers are being deleted", 3, 3, "0-2", all(ending(0, 500), ending(1, 400)), "0-2", "0-2_0-2.0.1-1_announcing", adding},
		{"another server is being deleted while proxies without spares run: both move", 3, 4, away + "announcing", all(ending(0, 400), ending(1, 500), rolling), "0-3", "0-2_0-2.0-1.1_announcing", adding},
		{"another server is being deleted later: it has its turn after this move", 3, 4, away + "preparing", all(ending(0, 400), ending(1, 500)), "0-3", away + "warming", warmUp},
		{"the first slot", 3, 3, "0-2", ending(0, 500), "0-2", "0-2_0-2.0_announcing", adding},
		{"before a change of the size", 4, 3, "0-2", ending(1, 500), "0-2", away + "announcing", adding},
		{"before a change of the template", 3, 3, "0-2", all(ending(1, 500), func(f *Facts) { f.Servers[0] = Server{State: ServerReady} }), "0-2", away + "announcing", adding},
		{"while a change of the size begins: its new server is the spare", 4, 4, "0-2_0-3_announcing", all(ending(1, 500), rolling), "0-3", "0-2_0-2.1_announcing", adding},
		{"while a change of the size begins, which all proxies expect: it is given up", 4, 4, "0-2_0-3_announcing", all(ending(1, 500), until(-1)), "0-3", "0-2", removing},
		{"while a change of the size moves items, which goes on", 4, 4, "0-2_0-3_warming", all(ending(1, 500), until(100)), "0-3", "0-2_0-3_warming", warmUp},
		{"a spare of an earlier move has not stopped", 3, 3, "0-2", all(ending(1, 500), func(f *Facts) { f.Servers[3] = Server{} }), "0-2", "0-2", waiting},

		{"the spare starts", 3, 3, away + "announcing", ending(1, 500), "0-3", away + "announcing", adding},
		{"the spare is ready", 3, 4, away + "announcing", ending(1, 500), "0-3", away + "preparing", preparing},
		{"the spare is being deleted before proxies know it: its pod ends in seconds", 3, 4, away + "announcing", all(ending(1, 500), ending(3, 500)), "0-3", away + "announcing", adding},
		{"the spare is being deleted before items move: its next pod gets them", 3, 4, away + "preparing", all(ending(1, 500), ending(3, 500)), "0-3", away + "announcing", adding},
		{"the spare is being deleted while items move: it has its turn later", 3, 4, away + "warming", all(ending(1, 500), ending(3, 500), until(100)), "0-3", away + "warming", warmUp},
		{"the server has stopped before its items move", 3, 4, away + "announcing", all(starting, until(-1)), "0-3", "0-2", removing},
		{"its items move", 3, 4, away + "warming", all(ending(1, 500), until(100)), "0-3", away + "warming", warmUp},
		{"its items have moved", 3, 4, away + "warming", all(ending(1, 500), cleans, created(1), complete), "0-3", away + "closing", closing},
		{"it has stopped: nothing is left to move", 3, 4, away + "warming", all(starting, until(100)), "0-3", away + "closing", closing},
		{"it is absent: nothing is left to move", 3, 4, away + "warming", all(func(f *Facts) { delete(f.Servers, 1) }, until(100)), "0-3", away + "closing", closing},
		{"an old observation shows it as it was before", 3, 4, away + "warming", until(100), "0-3", away + "warming", warmUp},
		{"no proxy is connected to it any more", 3, 4, away + "closing", ending(1, 400), "0-3", "0-2.1", waiting},

		{"it has not started again, and the proxies expect it", 3, 4, "0-2.1", starting, "0-3", back + "announcing", adding},
		{"it has not started again: nothing cleans it yet", 3, 4, back + "announcing", all(starting, cleans, func(f *Facts) { f.Job = nil }), "0-3", back + "announcing", adding},
		{"it has to be cleaned", 3, 4, back + "announcing", cleans, "0-3", back + "announcing", adding},
		{"it is clean", 3, 4, back + "announcing", all(cleans, complete), "0-3", back + "preparing", preparing},
		{"it is told to stop again before its items move back", 3, 4, back + "preparing", ending(1, 60), "0-3", back + "announcing", adding},
		{"it has to be cleaned, although the warm-up was disabled", 3, 4, back + "announcing", all(cleans, cold), "0-3", back + "announcing", adding},
		{"it is clean, and the warm-up was disabled", 3, 4, back + "announcing", all(cleans, complete, cold), "0-3", "0-2", removing},
		{"its items are back", 3, 4, back + "closing", nil, "0-3", "0-2", removing},
		{"the spare is removed", 3, 4, "0-2", nil, "0-2", "0-2", removing},
		{"another server is being deleted: its time is limited, so it comes before the return", 3, 4, "0-2.1", ending(0, 500), "0-3", "0-2.1_0-2.0-1.1_announcing", adding},
		{"the spare is being deleted, and the server has started again", 3, 4, "0-2.1", ending(3, 500), "0-3", back + "announcing", adding},
		{"the spare is being deleted, and the server has not started again", 3, 4, "0-2.1", all(ending(3, 500), starting), "0-3", "0-2.1_0-2.1-1_announcing", adding},
		{"the size changes: the items move back first", 4, 4, "0-2.1", nil, "0-3", back + "announcing", adding},
		{"the template changes: the items move to new servers", 3, 4, "0-2.1", func(f *Facts) { f.Servers[0] = Server{State: ServerReady} }, "0-3", "0-2.1_4-6_announcing", adding},
		{"a server without a slot has an earlier template", 3, 4, "0-2.1", func(f *Facts) { f.Servers[1] = Server{State: ServerReady} }, "0-3", back + "announcing", adding},
		{"the size becomes 0", 0, 4, "0-2.1", nil, "0-3", "0-2.1", removing},
	}
	checkMoves(t, cases)
}

// TestAllEnd: 1,000 servers are being deleted, and four get spares. A sync must not write labels for each of the others, which takes seven
// milliseconds.
func TestAllEnd(t *testing.T) {
	f := factsOf(MaxServers, MaxServers, "0-999")
	for ordinal := range int32(MaxServers) {
		ending(ordinal, 20)(f)
	}
	if got, want := f.Decide().Routes.String(), "0-999_0-999.0.1-1.2-2.3-3_announcing"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if allocations := testing.AllocsPerRun(3, func() { f.Decide() }); allocations > 20*MaxServers {
		t.Errorf("%.0f allocations for %d servers", allocations, MaxServers)
	}
}

// TestFailedClean: a Job that cleans a server fails if the server does not start for an hour. It begins again with the server, and not before.
func TestFailedClean(t *testing.T) {
	for _, test := range []struct {
		reason string
		state  ServerState
		want   bool
	}{
		{"the server has not started: a Job that is kept would never end", ServerEmpty, false},
		{"the server is ready: the Job has failed for another reason, which a user has to see", ServerReady, true},
	} {
		f := factsOf(3, 4, "0-2.1_0-2_announcing")
		cleans(f)
		f.Job.Failed, f.Servers[1] = true, Server{State: test.state, Updated: true}
		if got := f.Decide().Job != (DesiredJob{}); got != test.want {
			t.Errorf("%s: the Job is kept: %t, want %t", test.reason, got, test.want)
		}
	}
}

// TestOverdueServer checks that a return names the pod that has not stopped in its grace period.
func TestOverdueServer(t *testing.T) {
	f := factsOf(3, 4, "0-2.1_0-2_announcing")
	ending(1, -10)(f)
	if got := f.Decide().Report.OverduePod.Name; got != "cache-1" {
		t.Errorf("pod %q is overdue, want cache-1", got)
	}
}

// TestJobText checks that the annotation of a Job is read as it was written: otherwise a copy would begin again at each sync.
func TestJobText(t *testing.T) {
	longest := strings.Repeat(strconv.Itoa(MaxOrdinal)+",", MaxServers-1) + strconv.Itoa(MaxOrdinal)
	for _, job := range []DesiredJob{
		{ParseRoutes("0-2_0-3_warming"), rollout.String(), ""},
		{ParseRoutes("0-2_0-2.0.1-1_warming"), rollout.String(), "0,1"},
		{ParseRoutes("0-2_0-3_warming"), rollout.String(), longest},
	} {
		if got := ParseJob(job.String()); got != job {
			t.Errorf("%.100s is read as %.100s", job, got)
		}
	}
	if got := ParseJob("0-2_0-3_warming 5 without " + strings.Repeat("<", maxJobText)); got != (DesiredJob{}) {
		t.Errorf("an annotation that is too long is that of a Job: %.100s", got)
	}
	if got := ParseJob("0-2_0-3_moving 5"); got.Routes != (Routes{}) {
		t.Errorf("an edited annotation has the routes %s, want none", got.Routes)
	}
}

// TestJobServers checks which servers the Job of a slot cleans or lists.
func TestJobServers(t *testing.T) {
	for label, want := range map[string]string{
		"0-2_0-3_warming":       "[0 1 2]",
		"0-3_0-2_warming":       "[3]",
		"0-3_0-2_announcing":    "[0 1 2]",
		"0-2_3-5_warming":       "[0 1 2]",
		"0-2_0-2.1_warming":     "[1]",
		"0-2.1_0-2_announcing":  "[1]",
		"0-2.1_0-2_warming":     "[3]",
		"0-2.1_4-6_warming":     "[0 3 2]",
		"3-5.5_3-5_announcing":  "[5]",
		"3-5_3-5.3_warming":     "[3]",
		"6-8.7_10-11_warming":   "[6 9 8]",
		"6-8.7_10-11_preparing": "[6 9 8]",
	} {
		if got := fmt.Sprint(ParseRoutes(label).JobServers()); got != want {
			t.Errorf("the Job of %s has the servers %s, want %s", label, got, want)
		}
	}
}
