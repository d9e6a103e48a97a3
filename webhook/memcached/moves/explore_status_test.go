package moves

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func (r routesWorld) routes() Routes {
	if r.from.count == 0 {
		return Routes{}
	}
	return Routes{Move: Move{r.from.pool(), r.to.pool()}, Phase: phaseOrder[r.phase]}
}

func (v serversWorld) servers() Range { return Range{int32(v.first), int32(v.count)} }

func (v serversWorld) pool() Pool {
	pool := poolOf(v.servers())
	for _, spare := range v.spares {
		if spare != (spareWorld{}) {
			pool = pool.withSpare(Spare{int32(spare.absent), int32(spare.ordinal)})
		}
	}
	return pool
}

func worldOfServers(s Range) serversWorld { return worldOfPool(poolOf(s)) }

func worldOfPool(p Pool) serversWorld {
	servers := serversWorld{first: int8(p.Slots.First), count: int8(p.Slots.Count)}
	for i, spare := range p.Spares() {
		servers.spares[i] = spareWorld{int8(spare.For), int8(spare.Ordinal)}
	}
	return servers
}

func worldOf(r Routes) routesWorld {
	return routesWorld{from: worldOfPool(r.From), to: worldOfPool(r.To), phase: int8(slices.Index(phaseOrder, r.Phase))}
}

const workloadObject, deploymentObject = 1, 2

func revisionOf(object, revision int8) v1alpha1.Revision {
	if object == 0 {
		return v1alpha1.Revision{}
	}
	return v1alpha1.Revision{Created: metav1.NewTime(epoch.Add(time.Duration(object) * -time.Hour)), Number: 100 + int64(revision)}
}

func worldOfRevision(r v1alpha1.Revision) (object, revision int8) {
	if r.Number == 0 {
		return 0, 0
	}
	return int8(epoch.Sub(r.Created.Time) / time.Hour), int8(r.Number - 100)
}

// rollouts has the revisions of the Deployment as a Job has them.
var rollouts = map[string]int8{revisionOf(deploymentObject, 0).String(): 0, revisionOf(deploymentObject, -1).String(): -1}

// status returns the recorded status.
func (s statusWorld) status() *v1alpha1.MemcachedStatus {
	status := &v1alpha1.MemcachedStatus{}
	if s.proxy {
		observed := revisionOf(deploymentObject, s.revision)
		if s.revision == none {
			observed = v1alpha1.Revision{}
		}
		status.Proxy = situation{revision: observed}.record(s.routes.routes(), Report{})
		if s.phase != 0 {
			status.Proxy.Move = &v1alpha1.MoveStatus{For: purposes[s.purpose], From: int32(s.from), To: int32(s.to), Phase: movePhases[s.phase]}
			if s.until != never {
				status.Proxy.Move.Until = new(metav1.NewTime(at(s.until)))
			}
		}
	}
	if s.scaling {
		status.Scaling = &v1alpha1.ScalingStatus{Replicas: int32(s.replicas), LastStepTime: new(metav1.NewTime(at(s.step))), Observed: revisionOf(s.scalingObject, s.scalingRev)}
	}
	return status
}

// none is the revision of a Deployment that does not exist.
const none = -100

// record records a phase without its end.
func (s *statusWorld) record(move *v1alpha1.MoveStatus) {
	if move == nil {
		s.phase, s.purpose, s.from, s.to = 0, 0, 0, 0
		return
	}
	s.phase, s.purpose = int8(slices.Index(movePhases, move.Phase)), int8(slices.Index(purposes, move.For))
	s.from, s.to = int8(move.From), int8(move.To)
}

// phaseReport returns the phase of proxies with these routes; none for steady ones.
func phaseReport(r Routes) Report {
	if r.Phase == Steady {
		return Report{}
	}
	return Report{Phase: r.statusPhase(), Move: r.Move}
}

// statusOf returns the status that records a decision.
func statusOf(d Decision) statusWorld {
	s := lostStatus
	s.recorded = worldOfServers(d.Ordinals)
	if d.ProxyStatus != nil {
		s.proxy, s.routes = true, worldOf(RecordedRoutes(d.ProxyStatus))
		object, revision := worldOfRevision(d.ProxyStatus.LastDecision.Observed)
		s.revision = revision
		if object == 0 {
			s.revision = none
		}
		if s.record(d.ProxyStatus.Move); d.ProxyStatus.Move != nil && d.ProxyStatus.Move.Until != nil {
			s.until = fromEpoch(d.ProxyStatus.Move.Until.Time)
		}
	}
	if d.Scaling != nil {
		s.scaling, s.replicas, s.step = true, int8(d.Scaling.Replicas), fromEpoch(d.Scaling.LastStepTime.Time)
		s.scalingObject, s.scalingRev = worldOfRevision(d.Scaling.Observed)
	}
	return s
}
