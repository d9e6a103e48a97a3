package scaling

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
			sync("sync without ready servers", late, unreadyServers, whole)
			sync("sync without available proxies", late, unavailableProxies, whole)
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
		if s.unobserved {
			sync("sync does not observe the StatefulSet", false, noWorkload, whole)
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
			next.status.servers = 0
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
	if parts&workload != 0 && (v.fault != noWorkload || !w.workload.exists) {
		s.scale(&next, w, d)
	}
	if parts&deployment != 0 && (v.fault != noDeployment || !w.deployment.exists) {
		s.rollOut(&next, w, deploymentWorld{exists: d.desired, routes: d.routes, replicas: d.proxies})
	}
	if parts&job != 0 {
		s.applyCopy(&next, w, v.world.copy.exists, d.copy)
	}
	return next
}

func (s *space) scale(next *world, w world, d decision) {
	if w.workload.exists && w.workload.replicas == d.servers {
		next.workload.addedFor = d.addedFor
		return
	}
	next.workload = workloadWorld{exists: true, replicas: d.servers, addedFor: d.addedFor}
	for i := range d.servers {
		next.servers[i].exists = true
	}
	older := int8(1)
	if !w.workload.exists {
		older = 2 // another object
	}
	next.status.age(workloadObject, older)
	s.keep(next, w, "workload")
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
		w.size, w.desired, w.status = s.snapshots[next.before-1].size, s.snapshots[next.before-1].desired, s.snapshots[next.before-1].status
		w.status.age(deploymentObject, older)
		s.keep(next, w, "parent")
	}
	if s.late == "workload" && next.before != 0 {
		w.workload = s.snapshots[next.before-1].workload
		w.ageDeployment(older)
		s.keep(next, w, "workload")
	}
	s.keep(next, w, "deployment")
	if want.exists && next.copy.exists && next.copy.routes != want.routes.warming() {
		next.copy = earlierCopy
	}
}

// ageDeployment makes the recorded revisions of the Deployment older.
func (w *world) ageDeployment(by int8) {
	w.status.age(deploymentObject, by)
	if w.workload.addedFor -= by; w.workload.addedFor < -1 { // no sync observes a Deployment that is older
		w.workload.addedFor = none
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
