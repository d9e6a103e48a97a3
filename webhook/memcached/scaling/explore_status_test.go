package scaling

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func (r routesWorld) routes() Routes {
	if r.from == 0 {
		return Routes{}
	}
	return Routes{From: r.from.servers(), To: r.to.servers(), Phase: phaseOrder[r.phase]}
}

func (v serversWorld) servers() Servers {
	return Servers{Set: Set(v / secondSet), Count: int32(v % secondSet)}
}

func worldOfServers(s Servers) serversWorld {
	return serversWorld(s.Set)*secondSet + serversWorld(s.Count)
}

func worldOf(r Routes) routesWorld {
	return routesWorld{from: worldOfServers(r.From), to: worldOfServers(r.To), phase: int8(slices.Index(phaseOrder, r.Phase))}
}

const deploymentObject = 2

var workloadObjects = [2]int8{1, 3} // of each set

func revisionOf(object, revision int8) v1alpha1.Revision {
	if object == 0 {
		return v1alpha1.Revision{}
	}
	return v1alpha1.Revision{Created: metav1.NewTime(epoch.Add(time.Duration(object) * -time.Hour)), Generation: 100 + int64(revision)}
}

func worldOfRevision(r v1alpha1.Revision) (object, revision int8) {
	if r.Generation == 0 {
		return 0, 0
	}
	return int8(epoch.Sub(r.Created.Time) / time.Hour), int8(r.Generation - 100)
}

// rollouts has the revisions of the Deployment as a Job has them.
var rollouts = map[string]int8{revisionOf(deploymentObject, 0).String(): 0, revisionOf(deploymentObject, -1).String(): -1}

// status returns the recorded status.
func (s statusWorld) status() *v1alpha1.MemcachedStatus {
	status := &v1alpha1.MemcachedStatus{}
	if s.proxy {
		status.Proxy = record(s.routes.routes())
		status.Proxy.Observed = revisionOf(deploymentObject, s.revision)
		if s.revision == none {
			status.Proxy.Observed = v1alpha1.Revision{}
		}
		status.Proxy.Resize = nil
		if s.phase != 0 {
			status.Proxy.Resize = &v1alpha1.ResizeStatus{From: int32(s.from), To: int32(s.to), Replaces: s.replaces, Phase: resizePhases[s.phase]}
			if s.until != never {
				status.Proxy.Resize.Until = new(metav1.NewTime(at(s.until)))
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

// statusOf returns the status that records a plan.
func statusOf(p Plan) statusWorld {
	s := lostStatus
	for set, desired := range p.Sets {
		s.list[set] = int8(desired.Replicas)
	}
	if p.Proxy != nil {
		s.proxy, s.routes = true, worldOf(RecordedRoutes(p.Proxy))
		object, revision := worldOfRevision(p.Proxy.Observed)
		s.revision = revision
		if object == 0 {
			s.revision = none
		}
		if r := p.Proxy.Resize; r != nil {
			s.phase, s.from, s.to, s.replaces = int8(slices.Index(resizePhases, r.Phase)), int8(r.From), int8(r.To), r.Replaces
			if r.Until != nil {
				s.until = fromEpoch(r.Until.Time)
			}
		}
	}
	if p.Scaling != nil {
		s.scaling, s.replicas, s.step = true, int8(p.Scaling.Replicas), fromEpoch(p.Scaling.LastStepTime.Time)
		s.scalingObject, s.scalingRev = worldOfRevision(p.Scaling.Observed)
	}
	return s
}
