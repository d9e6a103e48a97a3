package scaling

import "time"

// syncs calls yield with each way in which a sync may end.
func (s *space) syncs(w world, yield func(name string, next world)) {
	for _, clock := range s.clocks {
		for _, late := range []bool{false, true} {
			if late && w.before == 0 {
				continue
			}
			state := s.view(w, late, clock)
			yield("sync", s.apply(w, state, whole, late))
			yield("sync without available pods", s.apply(w, unavailable(state), whole, late))
			if d := state.Proxies.Deployment; d != nil && !late {
				unseen := unavailable(state)
				unseen.Proxies.Deployment.RolledOut = false
				unseen.Proxies.Deployment.Generation--
				yield("sync before the Deployment controller", s.apply(w, unseen, whole, late))
			}
			if s.failures {
				yield("sync fails before the status is written", s.apply(w, state, workload|deployment, late))
				yield("sync only writes the status", s.apply(w, state, status, late))
				yield("sync only changes the servers", s.apply(w, state, workload, late))
				yield("sync only changes the proxies", s.apply(w, state, deployment, late))
			}
			if s.unobserved && !late {
				unseen := state
				unseen.Workload = nil
				yield("sync does not observe the StatefulSet", s.apply(w, unseen, whole, late))
				unseen = state
				unseen.Proxies.Deployment = nil
				yield("sync does not observe the Deployment", s.apply(w, unseen, whole, late))
			}
		}
	}
}

// unavailable returns a state in which no pod is available.
func unavailable(state State) State {
	if state.Workload != nil {
		workload := *state.Workload
		workload.Available = 0
		state.Workload = &workload
	}
	if state.Proxies.Deployment != nil {
		deployment := *state.Proxies.Deployment
		deployment.RolledOut = deployment.RolledOut && deployment.Replicas == 0
		state.Proxies.Deployment = &deployment
	}
	servers := map[int32]Server{}
	for ordinal := range state.Servers {
		servers[ordinal] = Server{}
	}
	state.Servers = servers
	return state
}

// What a sync changes.
const (
	workload = 1 << iota
	deployment
	status
	whole = workload | deployment | status
)

// apply returns the world after a sync. An object that exists is not created again.
func (s *space) apply(w world, state State, parts int, late bool) world {
	plan := state.Next()
	next := w
	if parts&status != 0 {
		next.status.record(plan)
		if !s.unobserved {
			next.status.list = 0
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
	if parts&workload != 0 && (state.Workload != nil || !w.workload.exists) {
		s.scale(&next, w, plan)
	}
	if parts&deployment != 0 && (state.Proxies.Deployment != nil || !w.deployment.exists) {
		want := deploymentWorld{exists: state.Proxies.Desired}
		if want.exists {
			want.routes, want.replicas = worldOf(plan.Routes), int8(plan.Proxies)
		}
		s.rollOut(&next, w, want)
	}
	return next
}

func (s *space) scale(next *world, w world, plan Plan) {
	replicas, addedFor := int8(plan.Servers), int8(none)
	for _, revision := range []int8{0, -1, -2} {
		if plan.AddedFor == revisionOf(deploymentObject, revision).String() {
			addedFor = revision
		}
	}
	if w.workload.exists && w.workload.replicas == replicas {
		next.workload.addedFor = addedFor
		return
	}
	next.workload = workloadWorld{exists: true, replicas: replicas, addedFor: addedFor}
	for i := range replicas {
		next.servers[i].exists = true
	}
	next.status.age(workloadObject, 1)
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
	next.status.age(deploymentObject, older)
	if next.workload.addedFor != none {
		next.workload.addedFor = max(next.workload.addedFor-older, -2)
	}
	if s.late == "parent" && next.before != 0 {
		w.size, w.desired, w.status = s.snapshots[next.before-1].size, s.snapshots[next.before-1].desired, s.snapshots[next.before-1].status
		w.status.age(deploymentObject, older)
		s.keep(next, w, "parent")
	}
	s.keep(next, w, "deployment")
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

// calm returns the world after a sync and the work of all controllers, without any fault.
func (s *space) calm(w world) world {
	w.before = 0
	next := s.apply(w, s.view(w, false, 0), whole, false)
	for i := range next.servers {
		if int8(i) >= next.workload.replicas {
			next.servers[i] = serverWorld{}
		}
	}
	d := next.deployment
	live := int8(0)
	for i := range next.pods {
		pod := &next.pods[i]
		switch {
		case pod.deleted || !d.exists || pod.routes != d.routes || live == d.replicas:
			*pod = podWorld{}
		case pod.exists:
			live++
		}
	}
	for i := range next.pods {
		if d.exists && !next.pods[i].exists && live < d.replicas {
			next.pods[i], live = podWorld{exists: true, routes: d.routes}, live+1
		}
	}
	next.use()
	next.pass()
	if next.normal(s.forgets()) == w {
		next.endMarks()
	}
	return next.normal(s.forgets())
}

// reached reports whether the desired state is reached.
func (s *space) reached(w world) bool {
	if w.workload.replicas != w.size || w.status.phase != 0 || w.desired != w.status.proxy || w.deployment.exists != w.desired {
		return false
	}
	d := w.deployment
	if w.size == 0 {
		return d.replicas == 0
	}
	return !w.desired || d.replicas == proxies && phaseOrder[d.routes.phase] == Steady && d.routes.to == w.size
}

// view returns what a sync observes.
func (s *space) view(w world, late bool, clock int16) State {
	deployment, rolledOut := w.deployment, w.rolledOut()
	if late {
		b := s.snapshots[w.before-1]
		switch s.late {
		case "parent":
			w.size, w.desired, w.status = b.size, b.desired, b.status
		case "workload":
			w.workload = b.workload
		case "deployment":
			deployment, rolledOut = b.deployment, b.deployment.rolledOut
		case "pods":
			w.servers, w.pods = b.servers, b.pods
		}
	}
	state := State{
		Now: at(clock), MaxClockSkew: skew * time.Second, Size: int32(w.size), MaxStep: int32(s.maxStep), Interval: interval * time.Second,
		Servers: map[int32]Server{}, Status: w.status.status(),
	}
	if w.workload.exists {
		state.Workload = &Workload{Revision: revisionOf(workloadObject, w.workload.revision), Replicas: int32(w.workload.replicas), Available: int32(w.workload.replicas)}
		if w.workload.addedFor != none {
			state.Workload.AddedFor = revisionOf(deploymentObject, w.workload.addedFor).String()
		}
	}
	for i, server := range w.servers {
		if server.exists {
			state.Servers[int32(i)] = Server{Ready: true}
		}
	}
	p := Proxies{Desired: w.desired, Replicas: proxies, Warmup: time.Duration(s.warmup) * time.Second}
	if deployment.exists {
		p.Deployment = &Deployment{Revision: revisionOf(deploymentObject, deployment.revision), Routes: deployment.routes.routes(), Replicas: int32(deployment.replicas), RolledOut: rolledOut}
	}
	for _, pod := range w.pods {
		if pod.exists {
			proxy := Proxy{Routes: pod.routes.routes()}
			if pod.deleted {
				proxy.Deleted = new(at(pod.end))
			}
			p.Pods = append(p.Pods, proxy)
		}
	}
	state.Proxies = p
	return state
}
