package moves

// syncs calls yield with each way in which a sync may end.
func (s *space) syncs(w world, yield func(name string, next world)) {
	for _, clock := range s.clocks {
		sync := func(name string, late bool, f fault, parts int) {
			yield(name, s.apply(w, s.observation(w, late, clock, f), parts, late))
		}
		for _, late := range []bool{false, true} {
			if late && w.before == 0 {
				continue
			}
			sync("sync", late, noFault, whole)
			sync("sync while servers restart", late, restartedServers, whole)
			sync("sync without available proxies", late, unavailableProxies, whole)
			if s.templates > 0 {
				sync("sync without ready servers before the change", late, unreadyFrom, whole)
				sync("sync without ready servers after the change", late, unreadyTo, whole)
			}
			if s.failures {
				sync("sync fails before the status is written", late, noFault, workload|deployment)
				sync("sync only writes the status", late, noFault, status)
				sync("sync only changes the servers", late, noFault, workload)
				sync("sync only changes the proxies", late, noFault, deployment)
				if s.copies {
					sync("sync only changes the Job", late, noFault, job)
				}
			}
		}
		if w.deployment.exists {
			sync("sync before the Deployment controller", false, beforeRollout, whole)
		}
		if s.templates > 0 && w.set.exists {
			sync("sync before the StatefulSet controller", false, beforeUpdate, whole)
		}
		if s.unobserved {
			sync("sync does not observe the StatefulSet", false, noSet, whole)
			if w.desired { // nobody can know a Deployment that spec no longer has, and that is not observed for minutes
				sync("sync does not observe the Deployment", false, noDeployment, whole)
			}
		}
	}
}

// What a sync changes.
const (
	workload = 1 << iota
	deployment
	status
	job
	whole = workload | deployment | status | job
)

// apply returns the world after a sync. An object that exists is not created again.
func (s *space) apply(w world, v observation, parts int, late bool) world {
	d := s.decide(v)
	next := w
	if parts&status != 0 {
		next.status = d.status
		if !s.readsServers() {
			next.status.recorded = serversWorld{}
		}
		if next.status != w.status {
			s.keep(&next, w, "parent")
		}
	}
	// The update of an object that was observed late is a conflict.
	if late && s.late == "deployment" {
		parts &^= deployment
	}
	if late && s.late == "workload" {
		parts &^= workload
	}
	if parts&workload != 0 && (v.fault != noSet || !w.set.exists) {
		s.scale(&next, w, d.run, d.partition, v.world.template)
	}
	if parts&deployment != 0 && (v.fault != noDeployment || !w.deployment.exists) {
		s.rollOut(&next, w, deploymentWorld{exists: d.desired, routes: d.routes, replicas: d.proxies, unreached: d.unreached})
	}
	if parts&job != 0 {
		s.applyCopy(&next, w, v, d.job)
	}
	return next
}

func (s *space) rollOut(next *world, w world, want deploymentWorld) {
	if w.deployment == want {
		return
	}
	next.deployment = want
	var older int8
	switch {
	case w.deployment.exists != want.exists:
		older = 2 // another object
	case w.deployment.routes != want.routes:
		older = 1
	}
	next.ageDeployment(older)
	if s.late == "parent" && next.before != 0 {
		b := s.snapshots.values[next.before-1]
		w.size, w.desired, w.cold, w.template, w.status = b.size, b.desired, b.cold, b.template, b.status
		w.status.age(deploymentObject, older)
		s.keep(next, w, "parent")
	}
	if s.late == "workload" && next.before != 0 {
		w.set = s.snapshots.values[next.before-1].set
		w.ageDeployment(older)
		s.keep(next, w, "workload")
	}
	if s.late == "job" && next.before != 0 {
		w.copy = s.snapshots.values[next.before-1].copy
		w.ageDeployment(older)
		s.keep(next, w, "job")
	}
	s.keep(next, w, "deployment")
}

// ageDeployment makes the recorded revisions of the Deployment older.
func (w *world) ageDeployment(by int8) {
	w.status.age(deploymentObject, by)
	w.cleaned = w.cleaned && by == 0
	if !w.copy.exists || by == 0 {
		return
	}
	if w.copy.revision -= by; w.copy.revision < -1 { // no sync observes a Deployment that is older
		w.copy = earlierCopy
	}
}

// age makes the revisions of an object older.
func (s *statusWorld) age(object, by int8) {
	if object == deploymentObject && s.revision != none {
		s.revision = max(s.revision-by, -2)
	}
	if s.scalingObject == object {
		s.scalingRev = max(s.scalingRev-by, -2)
	}
}
