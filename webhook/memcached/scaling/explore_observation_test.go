package scaling

import "time"

// An observation is what a sync observes: a world without what no sync observes.
type observation struct {
	world world
	clock int16
	fault fault
}

// A fault is what a sync observes wrongly.
type fault int8

const (
	noFault fault = iota
	unreadyServers
	unavailableProxies
	beforeRollout // the Deployment controller has not observed the Deployment
	noWorkload
	noDeployment
)

// observation returns what a sync observes.
func (s *space) observation(w world, late bool, clock int16, f fault) observation {
	w.deployment.rolledOut = w.rolledOut()
	if late {
		b := s.snapshots[w.before-1]
		switch s.late {
		case "parent":
			w.size, w.desired, w.status = b.size, b.desired, b.status
		case "workload":
			w.workload = b.workload
		case "deployment":
			w.deployment = b.deployment
		case "job":
			w.copy = b.copy
		case "pods":
			w.servers, w.pods = b.servers, b.pods
		}
	}
	for i := range w.servers {
		w.servers[i].used = false
	}
	w.copy.whole = false
	w.before, w.warmed, w.copied, w.marks = 0, false, false, noMarks
	return observation{w, clock, f}
}

// A decision is a plan, and whether the planner desires proxies.
type decision struct {
	status           statusWorld
	servers, proxies int8
	addedFor         int8
	desired          bool
	routes, copy     routesWorld
}

// decide returns the decision of the planner. Many worlds have the same observation.
func (s *space) decide(v observation) decision {
	if d, found := s.decisions[v]; found {
		return d
	}
	state := s.state(v)
	plan := state.Next()
	if problem := checkReady(state, plan); problem != "" && s.violated == "" {
		s.violated = problem
	}
	d := decision{status: statusOf(plan), servers: int8(plan.Servers), addedFor: worldOfAddedFor(plan.AddedFor), desired: v.world.desired}
	if d.desired {
		d.proxies, d.routes = int8(plan.Proxies), worldOf(plan.Routes)
		if plan.Copy != (Routes{}) {
			d.copy = worldOf(plan.Copy)
		}
	}
	s.decisions[v] = d
	return d
}

// state returns the state of an observation.
func (s *space) state(v observation) State {
	w := v.world
	state := State{
		Now: at(v.clock), MaxClockSkew: skew * time.Second, Size: int32(w.size), MaxStep: int32(s.maxStep), Interval: interval * time.Second,
		Servers: map[int32]Server{}, Status: w.status.status(),
	}
	if w.workload.exists && v.fault != noWorkload {
		state.Workload = &Workload{Revision: revisionOf(workloadObject, w.workload.revision), Replicas: int32(w.workload.replicas), Available: int32(w.workload.replicas), AddedFor: addedFor[w.workload.addedFor]}
		if v.fault == unreadyServers {
			state.Workload.Available = 0
		}
	}
	for i, server := range w.servers {
		if server.exists {
			state.Servers[int32(i)] = Server{Ready: v.fault != unreadyServers}
		}
	}
	state.Copy, state.CanCopy = w.copy.observed(), s.copies
	state.Proxies = Proxies{Desired: w.desired, Replicas: proxies, Warmup: time.Duration(s.warmup) * time.Second}
	if d := w.deployment; d.exists && v.fault != noDeployment {
		observed := &Deployment{Revision: revisionOf(deploymentObject, d.revision), Routes: d.routes.routes(), Replicas: int32(d.replicas), RolledOut: d.rolledOut}
		switch v.fault {
		case unavailableProxies:
			observed.RolledOut = d.rolledOut && d.replicas == 0
		case beforeRollout:
			observed.RolledOut = false
			observed.Generation--
		}
		state.Proxies.Deployment = observed
	}
	for _, pod := range w.pods {
		if pod.exists {
			proxy := Proxy{Routes: pod.routes.routes()}
			if pod.deleted {
				proxy.Deleted = new(at(grace))
			}
			state.Proxies.Pods = append(state.Proxies.Pods, proxy)
		}
	}
	return state
}

func (w *world) rolledOut() bool {
	live := int8(0)
	for _, pod := range w.pods {
		if pod.exists && !pod.deleted {
			live++
			if pod.routes != w.deployment.routes {
				return false
			}
		}
	}
	return live == w.deployment.replicas
}
