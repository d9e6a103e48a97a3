package moves

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
	beforeUpdate  // the StatefulSet controller has not observed the StatefulSet
	noSet
	noDeployment
	unreadyFrom // the servers before a move
	unreadyTo   // the servers after it
)

// observation returns what a sync observes.
func (s *space) observation(w world, late bool, clock int16, f fault) observation {
	w.deployment.updated, w.deployment.rolledOut = w.rolledOut(), w.rolledOut() && w.allAvailable()
	if late {
		b := s.snapshots.values[w.before-1]
		switch s.late {
		case "parent":
			w.size, w.desired, w.cold, w.template, w.status = b.size, b.desired, b.cold, b.template, b.status
		case "workload":
			w.set = b.set
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
	w.set.current = 0
	w.copy.whole = false
	w.broken, w.nodes, w.evictions = false, 0, 0
	w.before, w.warmed, w.copied, w.cleaned, w.claims = 0, false, false, false, false
	return observation{w, clock, f}
}

// A decision is that of Decide, and whether it desires proxies.
type decision struct {
	status    statusWorld
	run       serversWorld
	partition int8
	proxies   int8
	unreached bool
	desired   bool
	routes    routesWorld
	job       copyWorld
}

// decide returns the decision. Many worlds have the same observation.
func (s *space) decide(v observation) decision {
	if number, found := s.observations.add(v); found {
		return s.decisions[number]
	}
	facts := s.facts(v)
	decided := facts.Decide()
	if problem := cmp.Or(checkReady(facts, decided), checkShown(facts, decided)); problem != "" && s.violated == "" {
		s.violated = problem
	}
	d := decision{status: statusOf(decided), run: worldOfServers(decided.Ordinals), partition: int8(decided.Partition), desired: v.world.desired}
	if d.desired {
		d.proxies, d.routes, d.unreached = int8(decided.ProxyReplicas), worldOf(decided.Routes), s.outages && decided.Unreached
		if decided.Job != (DesiredJob{}) {
			d.job = copyWorld{exists: true, routes: worldOf(decided.Job.Routes), revision: rollouts[decided.Job.Rollout], lost: lostOf(decided.Job.Stuck)}
		}
	}
	s.decisions = append(s.decisions, d)
	return d
}

// facts returns the facts of an observation.
func (s *space) facts(v observation) Facts {
	w := v.world
	facts := Facts{
		Now: at(v.clock), Size: int32(w.size), MaxStep: int32(s.maxStep), Interval: interval * time.Second,
		Status: w.status.status(), RecordedOrdinals: w.status.recorded.servers(),
	}
	facts.Workload, facts.Servers = observedSet(v)
	facts.Job, facts.CanRunJob = w.copy.observed(), s.copies
	if w.desired {
		facts.Proxies = Proxies{Desired: true, Replicas: proxies}
		if !w.cold {
			facts.Proxies.Warmup = time.Duration(s.warmup) * time.Second
		}
	}
	if d := w.deployment; d.exists && v.fault != noDeployment {
		observed := &Deployment{Revision: revisionOf(deploymentObject, d.revision), Routes: d.routes.routes(), Replicas: int32(d.replicas), Updated: d.updated, RolledOut: d.rolledOut, CaughtUp: true}
		switch v.fault {
		case unavailableProxies:
			observed.RolledOut = d.rolledOut && d.replicas == 0
		case beforeRollout:
			observed.Updated, observed.RolledOut, observed.CaughtUp = false, false, false
			observed.Number--
		}
		facts.Proxies.Deployment = observed
	}
	for _, pod := range w.pods {
		if pod.exists {
			facts.Proxies.Pods = append(facts.Proxies.Pods, ProxyPod{Routes: pod.routes.routes()})
		}
	}
	return facts
}

// observedSet returns what is observed of the StatefulSet and its pods.
func observedSet(v observation) (*Workload, map[int32]Server) {
	w, ready, servers := v.world, int32(0), map[int32]Server{}
	for i, server := range w.servers {
		if !server.exists {
			continue
		}
		servers[int32(i)] = v.server(i)
		if servers[int32(i)].State == ServerReady && w.set.run().Has(int32(i)) {
			ready++
		}
	}
	if !w.set.exists || v.fault == noSet {
		return nil, servers
	}
	return &Workload{
		Revision: revisionOf(workloadObject, w.set.revision), Ordinals: w.set.run(), Partition: int32(w.set.partition), Ready: ready, Available: ready,
		TemplateApplied: w.set.template == w.template, CaughtUp: v.fault != beforeUpdate,
	}, servers
}

// server returns what is observed of a server. One that is being deleted serves on for as long as no clock is off.
func (v observation) server(i int) Server {
	server, after := v.world.servers[i], i >= int(v.world.deployment.routes.to.first)
	unready := v.fault == restartedServers || v.fault == unreadyFrom && !after || v.fault == unreadyTo && after
	seen := Server{State: ServerReady, Updated: v.fault != beforeUpdate && server.template == v.world.set.template}
	if server.stops {
		seen.GraceEnds, seen.NodeLost = new(epoch.Add(time.Hour)), server.lost
	}
	switch {
	case server.lost && server.stops:
		seen.State = ServerStuck
	case server.stops && server.starting:
		seen.State = ServerEnding
	case server.stops:
		seen.State = ServerHolding
	case server.starting || v.fault == restartedServers:
		seen.State = ServerEmpty
	case unready:
		seen.State = ServerUnready
	}
	return seen
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
