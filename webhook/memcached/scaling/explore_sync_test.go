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
			sync("sync while servers restart", late, restartedServers, whole)
			sync("sync without available proxies", late, unavailableProxies, whole)
			if s.twins {
				sync("sync without ready servers in the first set", late, unreadyFirstSet, whole)
				sync("sync without ready servers in the second set", late, unreadySecondSet, whole)
			}
			if s.failures {
				sync("sync fails before the status is written", late, noFault, workloads|deployment)
				sync("sync only writes the status", late, noFault, status)
				sync("sync only changes the servers", late, noFault, workloads)
				if s.twins {
					sync("sync only changes the first set", late, noFault, firstWorkload)
					sync("sync only changes the second set", late, noFault, secondWorkload)
				}
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
			sync("sync does not observe the StatefulSet", false, noFirstSet, whole)
			if s.twins {
				sync("sync does not observe the second StatefulSet", false, noSecondSet, whole)
			}
			if w.desired { // nobody can know a Deployment that spec no longer has, and that is not observed for minutes
				sync("sync does not observe the Deployment", false, noDeployment, whole)
			}
		}
	}
}

// What a sync changes.
const (
	firstWorkload = 1 << iota
	secondWorkload
	deployment
	status
	job
	workloads = firstWorkload | secondWorkload
	whole     = workloads | deployment | status | job
)

// apply returns the world after a sync. An object that exists is not created again.
func (s *space) apply(w world, v observation, parts int, late bool) world {
	d := s.decide(v)
	next := w
	if parts&status != 0 {
		next.status = d.status
		if !s.readsServers() {
			next.status.list = [2]int8{}
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
		parts &^= workloads
	}
	s.scaleSets(&next, w, v, parts, late, d)
	if parts&deployment != 0 && (v.fault != noDeployment || !w.deployment.exists) {
		s.rollOut(&next, w, deploymentWorld{exists: d.desired, routes: d.routes, replicas: d.proxies})
	}
	if parts&job != 0 {
		s.applyCopy(&next, w, v.world.copy.exists, d.job)
	}
	return next
}

// scaleSets applies the decision to those sets that are parts of it.
func (s *space) scaleSets(next *world, w world, v observation, parts int, late bool, d decision) {
	for set := range w.workloads {
		unobserved := v.fault == [2]fault{noFirstSet, noSecondSet}[set]
		if parts&[2]int{firstWorkload, secondWorkload}[set] != 0 && (!unobserved || !w.workloads[set].exists) {
			// A late parent has the template of before its last change.
			old := late && s.late == "parent" && s.snapshots[w.before-1].outdated() != w.outdated()
			want := d.sets[set]
			want.outdated = want.outdated || !v.world.workloads[set].outdated // the template stays the same
			s.scale(next, w, set, want, old)
		}
	}
}

// scale creates, updates or deletes a StatefulSet. If want is outdated, its template stays the same. old reports whether the template of
// want is not desired any more.
func (s *space) scale(next *world, w world, set int, want workloadWorld, old bool) {
	now := w.workloads[set]
	to, older := want, int8(1)
	switch {
	case !want.exists && !now.exists:
		return
	case !want.exists:
		to, older = workloadWorld{}, 2
	case !now.exists:
		to.outdated, older = old, 2 // another object
		to.rolling = w.servers[set] != [maxSize]serverWorld{}
	case want.outdated:
		to.outdated, to.rolling = now.outdated, now.rolling
	default:
		to.outdated, to.rolling = old, min(now.replicas, want.replicas) > 0
	}
	to.rolling = to.rolling && to.replicas > 0 && s.twins
	next.workloads[set] = to
	now.revision = 0
	if to == now {
		return
	}
	for i := range to.replicas {
		next.servers[set][i].exists = true
	}
	next.status.age(workloadObjects[set], older)
	s.keep(next, w, "workload")
}

func (w *world) outdated() [2]bool { return [2]bool{w.workloads[0].outdated, w.workloads[1].outdated} }

func (b *snapshot) outdated() [2]bool {
	return [2]bool{b.workloads[0].outdated, b.workloads[1].outdated}
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
		w.workloads = s.snapshots[next.before-1].workloads
		w.ageDeployment(older)
		s.keep(next, w, "workload")
	}
	if s.late == "job" && next.before != 0 {
		w.copy = s.snapshots[next.before-1].copy
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
