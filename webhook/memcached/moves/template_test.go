package moves

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// edited is after an edit of the pod template: the StatefulSet has it, and the first three pods do not.
func edited(f *Facts) {
	for ordinal := range f.Servers {
		if server := f.Servers[ordinal]; ordinal < 3 {
			server.Updated = false
			f.Servers[ordinal] = server
		}
	}
}

// unwritten lets the StatefulSet have an earlier template.
func unwritten(f *Facts) { f.Workload.TemplateApplied = false }

// lagging lets the StatefulSet controller not have observed the StatefulSet, whose first pods keep their template.
func lagging(partition int32) func(*Facts) {
	return func(f *Facts) {
		f.Workload.CaughtUp, f.Workload.Partition = false, partition
		for ordinal, server := range f.Servers {
			server.Updated = false
			f.Servers[ordinal] = server
		}
	}
}

// added adds so many servers from 3 on, which are ready and have the desired template.
func added(count int32) func(*Facts) {
	return func(f *Facts) {
		outdated := f.Servers
		f.Workload, f.Servers = observed(3 + count)
		for ordinal := range outdated {
			f.Servers[ordinal] = outdated[ordinal]
		}
	}
}

// editedAgain is after another edit: no pod has the template.
func editedAgain(f *Facts) {
	for ordinal, server := range f.Servers {
		server.Updated = false
		f.Servers[ordinal] = server
	}
}

func inPlace(f *Facts) { f.Proxies.Warmup = 0 }

// changed changes servers.
func changed(servers Range, change func(*Server)) func(*Facts) {
	return func(f *Facts) {
		for ordinal := servers.First; ordinal < servers.End(); ordinal++ {
			server := f.Servers[ordinal]
			change(&server)
			f.Servers[ordinal] = server
		}
		f.Workload.Ready -= servers.Count
	}
}

// unready lets servers serve nothing, and blip lets them not be ready for a moment.
func unready(servers Range) func(*Facts) {
	return changed(servers, func(s *Server) { s.State = ServerEmpty })
}

func blip(servers Range) func(*Facts) {
	return changed(servers, func(s *Server) { s.State = ServerUnready })
}

// TestTemplate checks changes of the pod template.
func TestTemplate(t *testing.T) {
	before, after := Range{0, 3}, Range{3, 3}
	cases := []struct {
		reason    string
		size      int32
		label     string
		change    func(*Facts)
		want      string // the pods that run, and how many keep their template
		wantLabel string
		wantPhase v1alpha1.MovePhase
	}{
		{"the template, the partition and the routes are written at once", 3, "0-2", unwritten, "0-2 keep 3", "0-2_3-5_announcing", adding},
		{"a template that is not written yet, and proxies that are being replaced", 3, "0-2", all(unwritten, busy), "0-2 keep 3", "0-2", waiting},
		{"the StatefulSet controller has not observed the template: the partition stays", 3, "0-2", lagging(3), "0-2 keep 3", "0-2", waiting},
		{"the StatefulSet controller has not observed another change: nothing is outdated", 3, "0-2", lagging(0), "0-2 keep 0", "0-2", ""},
		{"the proxies expect the change", 4, "0-2", edited, "0-2 keep 3", "0-2_3-6_announcing", adding},
		{"the move is one step", 9, "0-2", all(steps, edited), "0-2 keep 3", "0-2_3-11_announcing", adding},
		{"new servers start at the desired size", 4, "0-2_3-6_announcing", all(edited, busy), "0-6 keep 3", "0-2_3-6_announcing", adding},
		{"new servers are ready", 4, "0-2_3-6_announcing", all(edited, added(4)), "0-6 keep 3", "0-2_3-6_preparing", preparing},
		{"a template that changes again replaces new servers that no proxy knows", 4, "0-2_3-6_announcing", all(edited, added(4), editedAgain), "0-6 keep 3", "0-2_3-6_announcing", adding},
		{"a template that changes again is not written yet", 4, "0-2_3-6_announcing", all(edited, added(4), unwritten), "0-6 keep 3", "0-2_3-6_announcing", adding},
		{"servers of an earlier move may have items", 4, "0-2", all(edited, added(4)), "0-2 keep 3", "0-2", removing},
		{"the size changes while new servers start", 5, "0-2_3-6_announcing", all(edited, added(4), until(-1)), "0-6 keep 3", "0-2", removing},
		{"a removed server of the same name still stops", 4, "0-2", all(edited, func(f *Facts) { f.Servers[3] = Server{} }), "0-2 keep 3", "0-2", waiting},
		{"the proxies are prepared", 4, "0-2_3-6_preparing", all(edited, added(4)), "0-6 keep 3", "0-2_3-6_warming", warmUp},
		{"the template is edited back while the proxies prepare: new servers keep theirs until no proxy knows them", 3, "0-2_3-5_preparing", all(added(3), func(f *Facts) {
			changed(after, func(s *Server) { s.Updated = false })(f)
		}), "0-5 keep 6", "0-2_3-5_announcing", adding},
		{"the template changes again while the proxies prepare", 3, "0-2_3-5_preparing", all(edited, added(3), editedAgain), "0-5 keep 6", "0-2_3-5_announcing", adding},
		{"a preparing proxy still knows the new servers", 3, "0-2_3-5_announcing", all(edited, added(3), editedAgain, func(f *Facts) { f.Proxies.Pods[0].Routes.Phase = Preparing }), "0-5 keep 6", "0-2_3-5_announcing", adding},
		{"the size changes while the proxies prepare", 4, "0-2_3-5_preparing", all(edited, added(3)), "0-5 keep 3", "0-2_3-5_announcing", adding},
		{"a server that items move to and that restarts gets the new template", 3, "0-2_3-5_warming", all(edited, added(3), until(100)), "0-5 keep 3", "0-2_3-5_warming", warmUp},
		{"the template changes again during the warm-up: no server restarts, and the move ends first", 3, "0-2_3-5_warming", all(edited, added(3), editedAgain, until(-1)), "0-5 keep 6", "0-2_3-5_closing", closing},
		{"another template is not written yet", 3, "0-2_3-5_warming", all(edited, added(3), unwritten, until(100)), "0-5 keep 6", "0-2_3-5_warming", warmUp},
		{"the servers that items moved from are removed", 3, "0-2_3-5_closing", all(edited, added(3)), "0-5 keep 3", "3-5", removing},
		{"the start moves on", 3, "3-5", all(edited, added(3)), "3-5 keep 0", "3-5", removing},
		{"the start moves on, and the template has changed again", 3, "3-5", all(edited, added(3), editedAgain), "3-5 keep 3", "3-5", removing},
		{"a proxy may still use the servers that items moved from", 3, "3-5", all(edited, added(3), func(f *Facts) { f.Proxies.Pods[0].Routes = ParseRoutes("0-2_3-5_closing") }), "0-5 keep 3", "3-5", removing},
		{"servers that serve nothing are replaced in place", 3, "0-2", all(edited, unready(before)), "0-2 keep 0", "0-2", ""},
		{"a server that serves nothing is replaced in place, if the others have the template", 3, "0-2", func(f *Facts) { changed(Range{1, 1}, func(s *Server) { *s = Server{} })(f) }, "0-2 keep 0", "0-2", ""},
		{"more servers are ready than pods are observed to be: none may restart", 3, "0-2", all(edited, unready(before), func(f *Facts) { f.Workload.Ready = 1 }), "0-2 keep 3", "0-2_3-5_announcing", adding},
		{"servers that are not ready for a moment keep their items", 3, "0-2", all(edited, blip(before)), "0-2 keep 3", "0-2_3-5_announcing", adding},
		{"the servers that items move from are not ready for a moment", 3, "0-2_3-5_warming", all(edited, added(3), blip(before), until(100)), "0-5 keep 3", "0-2_3-5_warming", warmUp},
		{"the servers that items move to are not ready when the warm-up ends", 3, "0-2_3-5_warming", all(edited, added(3), unready(after), until(-1)), "0-5 keep 3", "0-2_3-5_warming", warmUp},
		{"size 0 in steps does not wait for servers that do not get ready", 0, "0-2_3-5_warming", all(steps, edited, added(3), unready(after), until(-1)), "0-5 keep 3", "0-2_3-5_closing", closing},
		{"a server that a smaller size has no use for is not ready", 2, "0-2_3-5_warming", all(edited, added(3), unready(Range{5, 1}), until(-1)), "0-5 keep 3", "0-2_3-5_closing", closing},
		{"a server that a smaller size keeps is not ready", 2, "0-2_3-5_warming", all(edited, added(3), unready(Range{4, 1}), until(-1)), "0-5 keep 3", "0-2_3-5_warming", warmUp},
		{"spec gives up the items if the servers that they move to do not get ready", 3, "0-2_3-5_warming", all(edited, added(3), unready(Range{5, 1}), inPlace, until(100)), "0-5 keep 3", "0-2_3-5_closing", closing},
		{"a proxy of an earlier move still runs", 4, "0-3", all(edited, func(f *Facts) { f.Proxies.Pods[0].Routes = ParseRoutes("0-2_0-3_closing") }), "0-3 keep 3", "0-3", waiting},
		{"spec replaces pods in place", 3, "0-2", all(edited, inPlace), "0-2 keep 0", "0-2", ""},
		{"spec replaces pods in place, but not during a change of the size", 4, "0-2_0-3_announcing", all(edited, inPlace), "0-3 keep 3", "0-2_0-3_announcing", adding},
		{"spec replaces pods in place since the proxies prepare: those of before follow first", 3, "0-2_3-5_preparing", all(edited, added(3), inPlace), "0-5 keep 3", "0-2_3-5_announcing", adding},
		{"the same, and their rollout has no room", 3, "0-2_3-5_preparing", all(edited, added(3), inPlace, busy), "0-5 keep 3", "0-2_3-5_announcing", adding},
		{"spec replaces pods in place since the proxies expect the change, and their rollout has no room", 3, "0-2_3-5_announcing", all(edited, inPlace, busy, func(f *Facts) { f.Proxies.Pods[0].Routes = ParseRoutes("0-2") }), "0-2 keep 0", "0-2", ""},
		{"spec replaces pods in place since the warm-up began: the warm-up ends", 3, "0-2_3-5_warming", all(edited, added(3), inPlace, until(100)), "0-5 keep 3", "0-2_3-5_closing", closing},
		{"size 0: proxies stop first", 0, "0-2_3-5_warming", all(edited, added(3)), "0-5 keep 3", "0-2_3-5_warming", removing},
		{"size 0: all proxies have stopped", 0, "0-2_3-5_warming", all(edited, added(3), ended()), "0-5 keep 3", "3-5", removing},
	}
	for _, test := range cases {
		f := factsOf(test.size, 3, test.label)
		test.change(f)
		got := f.Decide()
		var phase v1alpha1.MovePhase
		if got.ProxyStatus.Move != nil {
			phase = got.ProxyStatus.Move.Phase
		}
		if pods := fmt.Sprintf("%s keep %d", got.Ordinals, got.Partition); pods != test.want || got.Routes.String() != test.wantLabel || phase != test.wantPhase {
			t.Errorf("%s:\n got pods %s, routes %s, phase %q\nwant pods %s, routes %s, phase %q", test.reason, pods, got.Routes, phase, test.want, test.wantLabel, test.wantPhase)
		}
	}
}

// TestObstacle checks what a move waits for that has not begun.
func TestObstacle(t *testing.T) {
	for _, test := range []struct {
		want   Obstacle
		change func(*Facts)
	}{
		{NoStatefulSet, func(f *Facts) { f.Workload = nil }},
		{TemplateNotObserved, lagging(3)},
		{EarlierProxies, all(edited, func(f *Facts) { f.Proxies.Pods[0].Routes = ParseRoutes("0-2_0-1_closing") })},
		{EarlierProxies, func(f *Facts) { f.Size, f.Proxies.Pods[0].Routes = 4, ParseRoutes("0-1_0-2_closing") }},
		{ProxiesNotAvailable, all(edited, busy)},
		{EarlierServers, all(edited, func(f *Facts) { f.Servers[3] = Server{} })},
		{PredecessorPods, all(ended(), func(f *Facts) { f.PredecessorPods = []Pod{{Name: "cache-0"}} })},
	} {
		f := factsOf(3, 3, "0-2")
		test.change(f)
		if d := f.Decide(); d.ProxyStatus.Move.Phase != waiting || d.Report.Obstacle != test.want {
			t.Errorf("%s: %q, want %q", d.ProxyStatus.Move.Phase, d.Report.Obstacle, test.want)
		}
	}
}

// TestWarmupGoesOn checks that a server that is not ready for a moment does not make a warm-up begin again.
func TestWarmupGoesOn(t *testing.T) {
	for _, seconds := range []int{100, -1} {
		f := factsOf(3, 3, "0-2_3-5_warming")
		all(edited, added(3), unready(Range{4, 1}), until(seconds))(f)
		d := f.Decide()
		if got, want := d.ProxyStatus.Move, f.Status.Proxy.Move; !got.Until.Equal(want.Until) {
			t.Errorf("the warm-up ends at %v instead of %v", got.Until, want.Until)
		}
		if !d.Report.RolloutEnded {
			t.Errorf("the warm-up ends in %d seconds and waits for servers, and the decision says that it waits for proxies", seconds)
		}
	}
}

// TestStepsToZeroWithOutdatedTemplate checks that steps to size 0 wait for the next step, and not for a move.
func TestStepsToZeroWithOutdatedTemplate(t *testing.T) {
	f := factsOf(0, 3, "0-2")
	all(steps, edited)(f)
	f.Status.Scaling.LastStepTime = new(metav1.NewTime(noon.Add(-time.Second)))
	if d := f.Decide(); d.ProxyStatus.Move != nil || d.Scaling.Replicas != 3 {
		t.Errorf("got the move %+v and %d replicas, want no move and 3 replicas", d.ProxyStatus.Move, d.Scaling.Replicas)
	}
}

// TestServersThatProxiesKnow checks that no server is replaced that has lost its slot, and has come back, while a proxy of the last phase
// knows it.
func TestServersThatProxiesKnow(t *testing.T) {
	f := factsOf(3, 4, "0-2.1")
	f.Servers[1] = Server{State: ServerReady} // it has an earlier template
	f.Proxies.Pods[0].Routes = ParseRoutes("0-2_0-2.1_closing")
	if d := f.Decide(); d.Ordinals.String() != "0-3" || d.Partition != 2 {
		t.Errorf("pods %s run, and %d of them keep their template, want 0-3 and 2", d.Ordinals, d.Partition)
	}
}
