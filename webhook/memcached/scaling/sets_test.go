package scaling

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// edited returns a change of the pod template in spec: it is not the one of the first set any more.
func edited(s *State) { s.Sets[First].Workload.Current = false }

// second adds the second set, with so many ready servers that have the desired template.
func second(servers int32) func(*State) {
	return func(s *State) { s.Sets[Second] = observed(servers) }
}

func inPlace(s *State) { s.Warm = false }

// unready lets a set serve nothing.
func unready(set Set) func(*State) {
	return func(s *State) {
		s.Sets[set].Workload.Ready, s.Sets[set].Workload.Available = 0, 0
		for ordinal := range s.Sets[set].Servers {
			s.Sets[set].Servers[ordinal] = Server{}
		}
	}
}

// lost lets a server of the second set not be ready.
func lost(ordinal int32) func(*State) {
	return func(s *State) { s.Sets[Second].Servers[ordinal] = Server{} }
}

// blip makes the servers of a set unready, which keep their items.
func blip(set Set) func(*State) {
	return func(s *State) {
		unready(set)(s)
		for ordinal := range s.Sets[set].Servers {
			s.Sets[set].Servers[ordinal] = Server{HasItems: true}
		}
	}
}

// outdatedSecond replaces the template after the second set was created.
func outdatedSecond(s *State) { s.Sets[Second].Workload.Current = false }

// TestReplace checks changes of the pod template.
func TestReplace(t *testing.T) {
	cases := []struct {
		reason    string
		size      int32
		label     string
		change    func(*State)
		wantSets  string // replicas of each set; "=" keeps the template, "-" does not exist
		wantLabel string
		wantPhase v1alpha1.ResizePhase
	}{
		{"the proxies expect the change first", 4, "3", edited, "3= -", "3-4b-announcing", adding},
		{"the move is one step", 9, "3", all(steps, edited), "3= -", "3-9b-announcing", adding},
		{"the second set starts at the desired size", 4, "3-4b-announcing", all(edited, busy), "3= 4", "3-4b-announcing", adding},
		{"servers of the second set are ready", 4, "3-4b-announcing", all(edited, second(4)), "3= 4", "3-4b-preparing", preparing},
		{"not all servers of the second set have the template", 4, "3-4b-announcing", all(edited, second(4), func(s *State) { s.Sets[Second].Workload.Updated = false }), "3= 4", "3-4b-announcing", adding},
		{"a template that changes again replaces that of the second set", 4, "3-4b-announcing", all(edited, second(4), outdatedSecond), "3= 4", "3-4b-announcing", adding},
		{"a second set of an earlier change may have items", 4, "3", all(edited, second(4)), "3= -", "3", removing},
		{"the size changes while the second set starts", 5, "3-4b-announcing", all(edited, second(4), until(-1)), "3= 4", "3", removing},
		{"a former server of the second set still stops", 4, "3", all(edited, func(s *State) { s.Sets[Second].Servers = map[int32]Server{0: {}} }), "3= -", "3", waiting},
		{"the proxies are prepared", 4, "3-4b-preparing", all(edited, second(4)), "3= 4", "3-4b-warming", warmUp},
		{"the template is edited back while the proxies prepare", 3, "3-3b-preparing", all(second(3), outdatedSecond), "3 3=", "3-3b-announcing", adding},
		{"the template changes again while the proxies prepare", 3, "3-3b-preparing", all(edited, second(3), outdatedSecond), "3= 3=", "3-3b-announcing", adding},
		{"the size changes while the proxies prepare", 4, "3-3b-preparing", all(edited, second(3)), "3= 3", "3-3b-announcing", adding},
		{"the template changes again during the warm-up: the move ends first", 3, "3-3b-warming", all(edited, second(3), outdatedSecond, until(-1)), "3= 3=", "3-3b-closing", closing},
		{"the servers that items moved from are removed", 3, "3-3b-closing", all(edited, second(3)), "3= 3", "3b", removing},
		{"the first set is removed", 3, "3b", all(edited, second(3), replaced(-1)), "- 3", "3b", removing},
		{"the first set is removed, but a proxy may still use it", 3, "3b", all(edited, second(3), replaced(-1), func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("3-3b-closing") }), "3= 3", "3b", removing},
		{"back to the first set", 3, "3b", func(s *State) { s.Sets = [2]ObservedSet{{}, observed(3)}; outdatedSecond(s) }, "- 3=", "3b-3-announcing", adding},
		{"a set that serves nothing is replaced in place", 3, "3", all(edited, unready(First)), "3 -", "3", ""},
		{"a set that serves nothing is replaced in place during the warm-up too", 3, "3-3b-warming", all(edited, second(3), outdatedSecond, unready(Second), until(100)), "3= 3", "3-3b-warming", warmUp},
		{"servers that are not ready for a moment keep their items", 3, "3", all(edited, blip(First)), "3= -", "3-3b-announcing", adding},
		{"the servers that items move from are not ready for a moment", 3, "3-3b-warming", all(edited, second(3), blip(First), until(100)), "3= 3", "3-3b-warming", warmUp},
		{"the servers that items move to are not ready when the warm-up ends", 3, "3-3b-warming", all(edited, second(3), unready(Second), until(-1)), "3= 3", "3-3b-warming", warmUp},
		{"size 0 in steps does not wait for servers that do not get ready", 0, "3-3b-warming", all(steps, second(3), unready(Second), until(-1)), "3 3", "3-3b-closing", closing},
		{"a server that a smaller size has no use for is not ready", 2, "3-3b-warming", all(second(3), lost(2), until(-1)), "3 3", "3-3b-closing", closing},
		{"a server that a smaller size keeps is not ready", 2, "3-3b-warming", all(second(3), lost(1), until(-1)), "3 3", "3-3b-warming", warmUp},
		{"spec gives up the items if the servers that they move to do not get ready", 3, "3-3b-warming", all(second(3), lost(2), inPlace, until(-1)), "3 3", "3-3b-closing", closing},
		{"a proxy of an earlier change still runs", 4, "4", all(edited, func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("3-4-closing") }), "4= -", "4", waiting},
		{"status has servers of a set that cannot be created", 4, "3", all(edited, func(s *State) { s.Sets[Second].Recorded = 4 }), "3= -", "3-4b-announcing", adding},
		{"spec replaces pods in place", 3, "3", all(edited, inPlace), "3 -", "3", ""},
		{"spec replaces pods in place since the proxies prepare: those of before follow first", 3, "3-3b-preparing", all(edited, second(3), inPlace), "3= 3", "3-3b-announcing", adding},
		{"spec replaces pods in place since the proxies prepare, and their rollout has no room", 3, "3-3b-preparing", all(edited, second(3), inPlace, busy), "3= 3", "3-3b-announcing", adding},
		{"spec replaces pods in place since the proxies expect the change, and their rollout has no room", 3, "3-3b-announcing", all(edited, inPlace, busy, func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("3") }), "3 -", "3", ""},
		{"spec replaces pods in place since the warm-up began: the move ends first", 3, "3-3b-warming", all(edited, second(3), inPlace, until(100)), "3= 3", "3-3b-warming", warmUp},
		{"size 0: proxies stop first", 0, "3-3b-warming", all(edited, second(3)), "3= 3", "3-3b-warming", warmUp},
		{"size 0: all proxies have stopped, and the set in use stays", 0, "3-3b-warming", all(edited, second(3), ended()), "3= 3", "3b", removing},
	}
	for _, test := range cases {
		s := cache(test.size, 3, test.label)
		test.change(s)
		got := s.Next()
		var phase v1alpha1.ResizePhase
		if got.Proxy.Resize != nil {
			phase = got.Proxy.Resize.Phase
		}
		if sets := describeSets(got); sets != test.wantSets || got.Routes.String() != test.wantLabel || phase != test.wantPhase {
			t.Errorf("%s:\n got sets %q, routes %s, phase %q\nwant sets %q, routes %s, phase %q", test.reason, sets, got.Routes, phase, test.wantSets, test.wantLabel, test.wantPhase)
		}
	}
}

// TestWarmupGoesOn checks that a server that is not ready for a moment does not make a warm-up begin again.
func TestWarmupGoesOn(t *testing.T) {
	for _, seconds := range []int{100, -1} {
		s := cache(3, 3, "3-3b-warming")
		all(edited, second(3), lost(1), until(seconds))(s)
		p := s.Next()
		if got, want := p.Proxy.Resize, s.Status.Proxy.Resize; !got.Until.Equal(want.Until) {
			t.Errorf("the warm-up ends at %v instead of %v", got.Until, want.Until)
		}
		_, message := s.Progress(p)
		if got := strings.Contains(message, "once all proxies and new servers are ready"); got != (seconds < 0) {
			t.Errorf("the warm-up ends in %d seconds, and the message is %q", seconds, message)
		}
	}
}

// TestStepsToZeroWithOutdatedTemplate checks that steps to size 0 wait for the next step, and not for a move.
func TestStepsToZeroWithOutdatedTemplate(t *testing.T) {
	s := cache(0, 3, "3")
	all(steps, edited)(s)
	s.Status.Scaling.LastStepTime = new(metav1.NewTime(noon.Add(-time.Second)))
	if reason, message := s.Progress(s.Next()); reason != ReasonScaling {
		t.Errorf("Progressing is %s: %s", reason, message)
	}
}

// replaced records the removal of the first set, which ends in so many seconds.
func replaced(seconds int) func(*State) {
	return func(s *State) {
		s.Status.Proxy.Resize = resize(removing, Servers{First, 3}, Servers{Second, 3})
		s.Status.Proxy.Resize.Until = new(metav1.NewTime(noon.Add(time.Duration(seconds) * time.Second)))
	}
}

func describeSets(p Plan) string {
	describe := func(set DesiredSet) string {
		switch {
		case !set.Exists:
			return "-"
		case set.KeepsTemplate:
			return fmt.Sprintf("%d=", set.Replicas)
		}
		return strconv.Itoa(int(set.Replicas))
	}
	return describe(p.Sets[First]) + " " + describe(p.Sets[Second])
}

// TestLikelySet checks which set is used if neither proxies nor their status say so.
func TestLikelySet(t *testing.T) {
	recorded := func(set ObservedSet, servers int32) ObservedSet {
		set.Recorded = servers
		return set
	}
	cases := []struct {
		reason        string
		first, second ObservedSet
		want          Set
	}{
		{"no set exists", ObservedSet{}, ObservedSet{}, First},
		{"only the second one exists", ObservedSet{}, observed(2), Second},
		{"status has the second one, and it is not observed for a moment", observed(2), ObservedSet{Recorded: 2}, Second},
		{"status has the first one", recorded(observed(2), 2), observed(3), First},
		{"the second one has more ready servers", observed(2), observed(3), Second},
		{"both are equal", observed(2), observed(2), First},
	}
	for _, test := range cases {
		if got := (State{Sets: [2]ObservedSet{test.first, test.second}}).likelySet(); got != test.want {
			t.Errorf("%s: set %d, want %d", test.reason, got, test.want)
		}
	}
}
