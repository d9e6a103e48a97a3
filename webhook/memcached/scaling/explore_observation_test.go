package scaling

import (
	"cmp"
	"time"
)

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
	restartedServers
	unavailableProxies
	beforeRollout // the Deployment controller has not observed the Deployment
	noFirstSet
	noSecondSet
	noDeployment
	unreadyFirstSet
	unreadySecondSet
)

// observation returns what a sync observes.
func (s *space) observation(w world, late bool, clock int16, f fault) observation {
	w.deployment.rolledOut = w.rolledOut()
	if late {
		b := s.snapshots[w.before-1]
		switch s.late {
		case "parent":
			w.size, w.desired, w.status = b.size, b.desired, b.status
			for set := range w.workloads {
				w.workloads[set].outdated = w.workloads[set].exists && b.workloads[set].outdated
			}
		case "workload":
			w.workloads = b.workloads
		case "deployment":
			w.deployment = b.deployment
		case "job":
			w.copy = b.copy
		case "pods":
			w.servers, w.pods = b.servers, b.pods
		}
	}
	for set := range w.servers {
		for i := range w.servers[set] {
			w.servers[set][i].used = false
		}
	}
	w.copy.whole = false
	w.before, w.warmed, w.copied, w.cleaned, w.claims = 0, false, false, false, false
	return observation{w, clock, f}
}

// A decision is a plan, and whether the planner desires proxies.
type decision struct {
	status  statusWorld
	sets    [2]workloadWorld // outdated if they keep their template
	proxies int8
	desired bool
	routes  routesWorld
	job     copyWorld
}

// decide returns the decision of the planner. Many worlds have the same observation.
func (s *space) decide(v observation) decision {
	if d, found := s.decisions[v]; found {
		return d
	}
	state := s.state(v)
	plan := state.Next()
	if problem := cmp.Or(checkReady(state, plan), checkShown(state, plan)); problem != "" && s.violated == "" {
		s.violated = problem
	}
	d := decision{status: statusOf(plan), desired: v.world.desired}
	for set, desired := range plan.Sets {
		d.sets[set] = workloadWorld{exists: desired.Exists, replicas: int8(desired.Replicas), outdated: desired.KeepsTemplate}
	}
	if d.desired {
		d.proxies, d.routes = int8(plan.Proxies), worldOf(plan.Routes)
		if plan.Copy != (Job{}) {
			d.job = copyWorld{exists: true, routes: worldOf(plan.Copy.Routes), revision: rollouts[plan.Copy.Rollout]}
		}
	}
	s.decisions[v] = d
	return d
}

// state returns the state of an observation.
func (s *space) state(v observation) State {
	w := v.world
	state := State{
		Now: at(v.clock), Size: int32(w.size), MaxStep: int32(s.maxStep), Interval: interval * time.Second,
		Warm: s.twins && w.desired && s.warmup > 0, Status: w.status.status(),
	}
	for set := range state.Sets {
		state.Sets[set] = observedSet(v, set)
	}
	state.Copy, state.CanCopy = w.copy.observed(), s.copies
	state.Proxies = Proxies{Desired: w.desired, Replicas: proxies, Warmup: time.Duration(s.warmup) * time.Second}
	if d := w.deployment; d.exists && v.fault != noDeployment {
		observed := &Deployment{Revision: revisionOf(deploymentObject, d.revision), Routes: d.routes.routes(), Replicas: int32(d.replicas), RolledOut: d.rolledOut, Observed: true}
		switch v.fault {
		case unavailableProxies:
			observed.RolledOut = d.rolledOut && d.replicas == 0
		case beforeRollout:
			observed.RolledOut, observed.Observed = false, false
			observed.Generation--
		}
		state.Proxies.Deployment = observed
	}
	for _, pod := range w.pods {
		if pod.exists {
			state.Proxies.Pods = append(state.Proxies.Pods, Proxy{Routes: pod.routes.routes()})
		}
	}
	return state
}

// observedSet returns what is observed of a set.
func observedSet(v observation, set int) ObservedSet {
	w := v.world.workloads[set]
	o := ObservedSet{Servers: map[int32]Server{}, Recorded: int32(v.world.status.list[set])}
	unready := v.fault == restartedServers || v.fault == [2]fault{unreadyFirstSet, unreadySecondSet}[set]
	if w.exists && v.fault != [2]fault{noFirstSet, noSecondSet}[set] {
		replicas := int32(w.replicas)
		o.Workload = &Workload{Revision: revisionOf(workloadObjects[set], w.revision), Replicas: replicas, Ready: replicas, Available: replicas, Current: !w.outdated, Updated: !w.rolling}
		if unready {
			o.Workload.Ready, o.Workload.Available = 0, 0
		}
	}
	for i, server := range v.world.servers[set] {
		if server.exists {
			o.Servers[int32(i)] = Server{Ready: !unready, HasItems: v.fault != restartedServers}
		}
	}
	return o
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
