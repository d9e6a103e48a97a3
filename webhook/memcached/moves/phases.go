package moves

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// This file has what follows a phase of a move, and when; begin.go has its begin. A rollout gives the proxies their phase, which their
// label, library.lua and the functions below name. What the proxies do is in routes.go and library.lua, and what the Job does in job.go.

// observationDelay is how long servers are not needed before they are removed, if not all proxies are observed or available. It is the
// only step that cannot be undone, and Metacontroller can observe the proxies a moment later than the servers.
const observationDelay = 10 * time.Second

// inPhase returns what follows in the phase of the proxies.
func (s situation) inPhase() outcome {
	switch s.current.Phase {
	case Announcing:
		return s.announcing()
	case Preparing:
		return s.preparing()
	case Warming:
		return s.warming()
	case Closing:
		return s.closing()
	}
	return s.steady()
}

// rollOut gives the proxies their routes. It neither adds nor removes a server, and keeps the Job of the phase. A move that follows waits
// until all proxies have the routes. Each other outcome is this one with a change.
func (s situation) rollOut(routes Routes) outcome {
	return outcome{routes: routes, ordinals: s.neededWith(routes), job: s.jobUnderWay(routes), report: s.report(routes, EarlierProxies)}
}

// stay leaves the proxies their routes and the recorded end of their phase. Users read why if the phase is the steady one, and a
// move follows.
func (s situation) stay(why Obstacle) outcome {
	o := s.rollOut(s.current)
	o.report = s.report(s.current, why)
	o.report.Until = s.recordedEnd(o.report.Phase)
	return o
}

// until lets the phase of an outcome end at a time. It waits for the rest, which is 0 when the time is over: the end stays then, and what
// follows is repeated until it is observed.
func (s situation) until(o outcome, end *metav1.Time) outcome {
	o.report.Until, o.wait = end, max(0, end.Sub(s.Now))
	return o
}

// removeLater leaves the remaining servers when the others have not been needed for a while.
func (s situation) removeLater(o outcome, remaining Range) outcome {
	if o = s.until(o, s.endAfter(o.report.Phase, observationDelay)); o.wait == 0 {
		o.ordinals = remaining
	}
	return o
}

// steady removes servers that no proxy uses any more, and then begins the next step towards spec.
func (s situation) steady() outcome {
	why := s.rolloutObstacle()
	switch {
	case s.currentApplied && s.hasServersToRemove(s.current.To):
		return s.removing()
	case why != NoObstacle:
		return s.stay(why)
	}
	return s.begin()
}

// removing removes servers that no proxy uses: they may have outdated items. Not all proxies need be available: the servers may have
// the room that they need.
func (s situation) removing() outcome {
	used, o := s.current.To.Span(), s.rollOut(s.current)
	inUse := slices.ContainsFunc(s.runningRoutes, func(running Routes) bool {
		return running == Routes{} || !used.contains(running.Known())
	})
	if inUse || !s.Proxies.Deployment.CaughtUp {
		return o
	}
	if !s.allObserved() {
		return s.removeLater(o, used)
	}
	o.ordinals = used
	return o
}

// preparing lets the warm-up begin. A move that spec does not want any more is given up, because no item has moved, and one to a server
// that is told to stop starts again. That does not wait for the rollout of this phase: it cannot end if the cluster has no room for another
// proxy.
func (s situation) preparing() outcome {
	announcing := s.current.in(Announcing)
	switch {
	case s.currentApplied && (!s.isWanted() || s.addedStops()) && !s.othersRun(s.current, announcing):
		return s.rollOut(announcing)
	case !s.rolloutEnded() || !s.addedReady() || s.editedAgain():
		return s.stay(NoObstacle)
	}
	return s.rollOut(s.current.in(Warming))
}

// warming ends the warm-up when the Job has read all items. Proxies.Warmup is the longest time, also if no Job runs. A warm-up with a new
// pod template begins or ends later while its servers are not ready: those that have the items are removed afterwards. It does not wait for
// servers that spec has no use for, nor if spec changes what may prevent them from getting ready. It also ends when nothing
// is left to move.
func (s situation) warming() outcome {
	r := s.current
	if !s.rolloutEnded() || r.Replaces() && s.Proxies.Warmup > 0 && !s.editedAgain() && !s.addedReady() {
		return s.stay(NoObstacle)
	}
	o := s.until(s.rollOut(r), s.endOfWarmup())
	if s.Proxies.Warmup > 0 {
		o.job = s.startJob(o.job)
	}
	if o.wait == 0 || s.jobComplete() || s.recordedAs(Closing) || s.nothingLeft() {
		return s.rollOut(r.in(Closing))
	}
	return o
}

// nothingLeft reports whether no item is left to move to or from spares: the servers have stopped, or do not respond, and no Job reads
// them.
func (s situation) nothingLeft() bool {
	r := s.current
	return r.sameSlots() && !slices.ContainsFunc(r.Removed(), func(ordinal int32) bool {
		unread := s.isStuck(ordinal) && (s.jobFailed() || !s.CanRunJob)
		return !unread && s.state(ordinal) != ServerEmpty
	})
}

// closing ends the move.
func (s situation) closing() outcome {
	if !s.rolloutEnded() {
		return s.stay(NoObstacle)
	}
	return s.rollOut(steadyRoutes(s.current.To))
}
