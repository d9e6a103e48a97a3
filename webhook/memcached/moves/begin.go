package moves

import (
	"maps"
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has the begin of a move, until items may move: which servers are added, and what must be empty or ready first.

// claimDelay is longer than the items last that preparing proxies write, and that steady ones would return.
const claimDelay = 10 * time.Second

// begin announces the next move: towards spec, or away from servers that are being deleted.
func (s situation) begin() outcome {
	used := s.current.To
	next := Routes{Move{used, s.target(used)}, Announcing}
	if next.To == used {
		return s.rollOut(s.current)
	}
	if left := s.untilStep(s.revision); left > 0 && s.MaxStep > 0 && next.Resizes() {
		o := s.rollOut(s.current)
		o.report, o.wait = Report{}, left
		return o
	}
	if earlier := s.earlierServers(next); len(earlier) > 0 {
		o := s.rollOut(s.current)
		o.report, o.awaited = waits(next.Move, EarlierServers), earlier
		return o
	}
	if s.Proxies.Warmup == 0 && !next.adds() {
		return s.rollOut(steadyRoutes(next.To))
	}
	return s.rollOut(next)
}

// announcing adds servers, or cleans those that stay, during the rollout of the proxies, and then lets the move go on, unless spec does not
// want it any more. If no steady proxy runs, the last proxies may have been preparing ones, so steady ones start later.
func (s situation) announcing() outcome {
	before := steadyRoutes(s.current.From)
	extended, found := s.extended()
	switch {
	case !s.currentApplied:
		return s.rollOut(s.current)
	case found:
		return s.rollOut(extended)
	case s.isWanted():
		return s.addServers()
	case slices.Contains(s.runningRoutes, before):
		return s.rollOut(before)
	}
	o := s.rollOut(s.current)
	if s.rolloutEnded() {
		if o = s.until(o, s.endAfter(o.report.Phase, claimDelay)); o.wait == 0 { // no claim of preparing proxies is left
			return s.rollOut(before)
		}
	}
	return o
}

// isWanted reports whether the move leads to where the cache is to be, or to a part of it: slots that are to move too have their turn after
// this move.
func (s situation) isWanted() bool {
	desired := s.target(s.current.From)
	leadsThere := desired == s.current.To || s.current.isPartOf(desired)
	return leadsThere && !s.startsOutdated()
}

// startsOutdated reports whether pods that the move adds have an earlier template, and stay. While the move is announced, the StatefulSet
// replaces them, unless it has a pod that does not end: then it replaces none.
func (s situation) startsOutdated() bool {
	anyStuck := slices.ContainsFunc(slices.Collect(maps.Keys(s.Servers)), s.isStuck)
	return s.editedAgain() && (s.current.Phase != Announcing || anyStuck)
}

// extended returns the move to more or other spares that is announced instead, while a proxy of the phase before runs: then all proxies use
// the servers before the move alone.
func (s situation) extended() (next Routes, found bool) {
	next = Routes{Move{s.current.From, s.target(s.current.From)}, Announcing}
	differs := next != s.current && next.Purpose() == v1alpha1.MoveToSpare
	canBegin := slices.Contains(s.runningRoutes, steadyRoutes(next.From)) && len(s.earlierServers(next)) == 0
	return next, differs && canBegin
}

// earlierServers returns the pods with the names of new servers, which must be empty, as those are that the move under way has added.
func (s situation) earlierServers(next Routes) (pods []Pod) {
	for _, ordinal := range next.added() {
		known := next.From.Span().Has(ordinal) || s.current.To.Has(ordinal)
		if server, exists := s.Servers[ordinal]; exists && !known {
			pods = append(pods, server.Pod)
		}
	}
	return pods
}

// addServers adds the servers of the move, and cleans those that are not new. When all are ready and clean, the proxies prepare.
func (s situation) addServers() outcome {
	r, ready := s.current, s.addedReady() && !s.editedAgain()
	if ready && s.isClean() && s.rolloutEnded() {
		if s.Proxies.Warmup == 0 {
			return s.rollOut(steadyRoutes(r.To))
		}
		return s.rollOut(r.in(Preparing))
	}
	o := s.rollOut(r)
	o.ordinals, o.job = o.ordinals.join(r.To.Span()), s.cleaningJob(ready, o.job)
	for _, ordinal := range r.addedAgain() {
		o.awaited = append(o.awaited, s.Servers[ordinal].Pod) // it starts again when it has stopped
	}
	return o
}

// cleans reports whether a Job is to clean servers. Without a warm-up, those that stay in a decrease are not cleaned.
func (s situation) cleans() bool {
	task := s.current.Task()
	return task == CleanAdded || task == CleanStaying && s.Proxies.Warmup > 0
}

// cleaningJob returns the Job that begins when the servers are ready, or the one that is under way.
func (s situation) cleaningJob(ready bool, underWay DesiredJob) DesiredJob {
	switch {
	case !s.cleans():
		return DesiredJob{}
	case ready:
		return s.startJob(underWay)
	case s.jobFailed() && slices.ContainsFunc(s.current.addedAgain(), s.notReady):
		return DesiredJob{} // it did not reach the server, so it begins again when the server is ready
	}
	return underWay
}

// isClean reports whether the Job has cleaned the servers, or nothing is to be cleaned or can be, and no Job is left.
func (s situation) isClean() bool {
	if s.current.Task() == NoTask || s.jobComplete() {
		return true
	}
	return s.Job == nil && (!s.cleans() || !s.CanRunJob)
}

// addedReady reports whether no server that the move adds, and that spec still wants, keeps the move in its phase.
func (s situation) addedReady() bool {
	r := s.current
	for slot, ordinal := range r.To.BySlot() {
		needed := int32(slot) < s.Size || r.sameSlots()
		if needed && !r.From.Has(ordinal) && !s.readyForNext(ordinal) {
			return false
		}
	}
	return true
}

// readyForNext reports whether the move can enter its next phase with an added server.
func (s situation) readyForNext(added int32) bool {
	switch state := s.state(added); s.current.Phase {
	case Announcing: // no proxy uses it yet, so another one can have its slot
		return state == ServerReady
	case Preparing: // one that is being deleted and still serves gets a spare after this move
		return state.serves()
	default: // so does one that is stuck: items have moved already
		return state.serves() || state == ServerStuck
	}
}

// addedStops reports whether a server that the move adds is being deleted and holds. It ends when no proxy knows it.
func (s situation) addedStops() bool {
	return slices.ContainsFunc(s.current.added(), func(ordinal int32) bool { return s.state(ordinal) == ServerHolding })
}
