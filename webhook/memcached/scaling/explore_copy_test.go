package scaling

import "slices"

// copyWorld is the Job of a warm-up.
type copyWorld struct {
	exists bool
	state  copyState
	// whole reports whether the Job began when all proxies were warming, and only such proxies have run since.
	whole bool
	// routes is the zero value for an earlier warm-up, whose marks end at another time.
	routes routesWorld
}

type copyState int8

const (
	copyRuns copyState = iota
	copyComplete
	copyFailed
)

var earlierCopy = copyWorld{exists: true}

// observed returns what a sync observes; nil if there is no Job.
func (c copyWorld) observed() *Copy {
	if !c.exists {
		return nil
	}
	job := &Copy{For: "an earlier warm-up", Complete: c.state == copyComplete, Failed: c.state == copyFailed}
	if c.routes != (routesWorld{}) {
		job.For = c.routes.routes().String()
	}
	return job
}

// copyEvents ends or deletes the Job. Whether it does not begin makes no difference to one that never ends.
func (s *space) copyEvents(w world, yield func(name string, next world)) {
	if !w.copy.exists {
		return
	}
	change := func(name string, job copyWorld) {
		next := w
		next.copy = job
		next.copied = w.copied || job.state == copyComplete && job.whole
		s.keep(&next, w, "job")
		yield(name, next)
	}
	if w.copy.state == copyRuns && w.copy != earlierCopy {
		for name, state := range map[string]copyState{"the Job is complete": copyComplete, "the Job fails": copyFailed} {
			job := w.copy
			job.state = state
			change(name, job)
		}
	}
	change("somebody deletes the Job", copyWorld{})
}

// applyCopy creates or deletes the Job, as Metacontroller does with a child whose update strategy is OnDelete.
func (s *space) applyCopy(next *world, w world, observed bool, want routesWorld) {
	desired := want != (routesWorld{})
	switch {
	case desired && !observed && !w.copy.exists:
		next.copy = copyWorld{exists: true, routes: want, whole: w.onlyWarming()}
		if next.deployment.routes.warming() != want {
			next.copy = earlierCopy
		}
	case !desired && observed && w.copy.exists:
		next.copy = copyWorld{}
	default:
		return
	}
	s.keep(next, w, "job")
}

// checkCopy checks what a sync without faults does with the Job.
func (s *space) checkCopy(name string, w, next world) string {
	if name != "sync" || s.late != "" || !w.copy.exists || !w.desired || !w.deployment.exists {
		return ""
	}
	if w.copy.routes != w.deployment.routes.warming() {
		if next.copy.exists {
			return "a sync removes the Job of another warm-up"
		}
		return ""
	}
	return checkCopyOfWarmup(w, next)
}

// checkCopyOfWarmup checks that a sync keeps the Job of this warm-up, which would begin again otherwise.
func checkCopyOfWarmup(w, next world) string {
	phase, after := phaseOrder[w.deployment.routes.phase], phaseOrder[next.deployment.routes.phase]
	switch {
	case phase == Warming && !next.copy.exists && next.deployment.routes == w.deployment.routes:
		return "no sync removes the Job of the warm-up that is under way"
	case after == Closing && next.copy.exists && w.copy.state == copyRuns:
		return "no Job reads items through proxies that give them up"
	case after == Steady && next.copy.exists:
		return "a sync removes the Job of a change that has ended"
	}
	return ""
}

// warming returns the routes of the warm-up before these routes.
func (r routesWorld) warming() routesWorld {
	r.phase = int8(slices.Index(phaseOrder, Warming))
	return r
}
