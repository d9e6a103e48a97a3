package moves

import (
	"slices"
	"strconv"
	"strings"
)

// copyWorld is the Job of a change.
type copyWorld struct {
	exists bool
	state  copyState
	// whole reports whether the proxies that run are those that [world.only] allows, since the Job began.
	whole bool
	// routes and revision are those of the Deployment; the zero value for those of an earlier one.
	routes   routesWorld
	revision int8
	lost     [2]int8 // one more than the ordinals that it gives up
	created  int16
}

type copyState int8

const (
	copyRuns copyState = iota
	copyComplete
	jobFailed
)

var earlierCopy = copyWorld{exists: true}

// observed returns what a sync observes; nil if there is no Job.
func (c copyWorld) observed() *ObservedJob {
	if !c.exists {
		return nil
	}
	job := &ObservedJob{Created: at(c.created), Complete: c.state == copyComplete, Failed: c.state == jobFailed}
	if c.routes != (routesWorld{}) {
		job.For = DesiredJob{c.routes.routes(), revisionOf(deploymentObject, c.revision).String(), c.givesUp()}
	}
	return job
}

// givesUp returns the servers that the Job gives up soon.
func (c copyWorld) givesUp() string {
	var ordinals []string
	for _, lost := range c.lost {
		if lost > 0 {
			ordinals = append(ordinals, strconv.Itoa(int(lost)-1))
		}
	}
	return strings.Join(ordinals, ",")
}

// lostOf returns what givesUp returns, as a world has it.
func lostOf(text string) (lost [2]int8) {
	for i, ordinal := range strings.Split(text, ",") {
		if number, err := strconv.Atoi(ordinal); err == nil {
			lost[i] = int8(number) + 1
		}
	}
	return lost
}

// copyEvents ends or deletes the Job. Whether it does not begin makes no difference to one that never ends.
func (s *space) copyEvents(w world, yield func(name string, next world)) {
	if !w.copy.exists {
		return
	}
	change := func(name string, job copyWorld) {
		next := w
		next.copy = job
		if job.state == copyComplete && job.whole {
			next.copied = w.copied || job.routes.phase == warming
			next.cleaned = w.cleaned || job.routes == w.deployment.routes && job.revision == 0
		}
		next.copied = next.copied || job.state == jobFailed && job.lost != [2]int8{}
		s.keep(&next, w, "job")
		yield(name, next)
	}
	if w.copy.state == copyRuns && w.copy != earlierCopy {
		for name, state := range map[string]copyState{"the Job is complete": copyComplete, "the Job fails": jobFailed} {
			job := w.copy
			job.state = state
			change(name, job)
		}
	}
	change("somebody deletes the Job", copyWorld{})
}

// applyCopy creates or deletes the Job, as Metacontroller does with a child whose update strategy is OnDelete.
func (s *space) applyCopy(next *world, w world, v observation, want copyWorld) {
	switch observed := v.world.copy.exists; {
	case want.exists && !observed && !w.copy.exists:
		next.copy = want
		next.copy.whole, next.copy.created = w.only(want.routes), v.clock
	case !want.exists && observed && w.copy.exists:
		next.copy = copyWorld{}
	default:
		return
	}
	s.keep(next, w, "job")
}

// checkCopy checks what happens to the Job.
func (s *space) checkCopy(name string, w, next world) string {
	if problem := checkClean(next); problem != "" {
		return problem
	}
	if name != "sync" || s.late != "" || !w.copy.exists || !w.desired || !w.deployment.exists {
		return ""
	}
	return checkKept(w, next)
}

// unreached reports whether a Job that cleans added servers has failed, and the server is not ready.
func (w world) unreached() bool {
	routes := w.copy.routes.routes()
	if routes.Phase != Announcing || w.copy.state != jobFailed {
		return false
	}
	return slices.ContainsFunc(routes.addedAgain(), func(ordinal int32) bool {
		server := w.servers[ordinal]
		return !server.exists || server.stops || server.starting
	})
}

// readsLost reports whether the node of a server does not respond whose items move. A Job that began before waits too long for it.
func (w world) readsLost(job copyWorld) bool {
	r := job.routes.routes()
	return r.Phase == Warming && slices.ContainsFunc(r.JobServers(), func(ordinal int32) bool {
		return w.servers[ordinal].lost && !slices.Contains(job.lost[:], int8(ordinal)+1)
	})
}

// checkKept checks that a sync keeps the Job of this rollout, and no other one. One that could not reach the server that it cleans begins again
// with the server.
func checkKept(w, next world) string {
	same := next.deployment.routes == w.deployment.routes
	ofThisRollout := w.copy.routes == w.deployment.routes && w.copy.revision == 0 && !w.readsLost(w.copy)
	switch {
	case !ofThisRollout && next.copy.exists:
		return "a sync removes the Job of another rollout"
	case ofThisRollout && same && !next.copy.exists && !w.unreached():
		return "no sync removes the Job of this rollout, which would begin again"
	case !same && next.copy.exists && w.copy.state == copyRuns:
		return "no Job goes on when the phase has ended"
	}
	return ""
}

const warming = int8(3) // index of phaseOrder

// checkClean checks the Job that cleans the servers that stay.
func checkClean(next world) string {
	job := next.copy
	if !job.exists || job.state != copyRuns || phaseOrder[job.routes.phase] != Announcing {
		return ""
	}
	for _, pod := range next.running() {
		serving, from := pod.routes.routes().Serving(), job.routes.from.servers()
		if serving.Slots.First == from.First && serving.Slots.Count < from.Count {
			return "no Job cleans servers that have items of a smaller size"
		}
		if slices.ContainsFunc(job.routes.routes().addedAgain(), serving.Has) {
			return "no Job cleans a server that proxies use"
		}
	}
	return ""
}
