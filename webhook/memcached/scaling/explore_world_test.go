package scaling

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// A world is a state of a small cluster with one cache. Worlds are compared, so all lists have a fixed length and an order.
// Times are in seconds from now, and times that no rule distinguishes are the same time. Revisions of a child count down: the
// child has the revision 0, an earlier one has -1, and all before it -2.
type world struct {
	size    int8
	desired bool // spec has proxies

	workload   workloadWorld
	servers    [maxSize]serverWorld
	deployment deploymentWorld
	pods       [maxPods]podWorld // the proxies, also those that are being deleted
	status     statusWorld

	// before is the number of the snapshot before the last change of the objects that are observed late; 0 if there is none.
	before int32

	// warm is how long all proxies have been warming, at most the warm-up.
	warm int16
	// marks is when the last mark of an increase ends.
	marks int16
}

// A snapshot has the state of those objects before their last change.
type snapshot struct {
	size       int8
	desired    bool
	workload   workloadWorld
	servers    [maxSize]serverWorld
	deployment deploymentWorld
	pods       [maxPods]podWorld
	status     statusWorld
}

const (
	maxSize = 3
	maxPods = 4
	proxies = 2

	tick     = 131 // longer than each wait of the planner but those for marks
	skew     = 120 // the clocks of hooks are up to this time off
	grace    = 30  // from the deletion of a proxy to its deletion timestamp
	interval = 60

	marks = 60 + 600 + skew // the end of the marks of a warm-up that begins
	past  = -600            // or earlier: before each time that a rule compares
	never = -32000
)

type workloadWorld struct {
	exists             bool
	replicas, revision int8
	addedFor           int8 // a revision of the Deployment, or none
}

type serverWorld struct {
	exists bool
	// used reports whether the server may have items or marks of proxies that used it.
	used bool
}

type deploymentWorld struct {
	exists    bool
	routes    routesWorld
	replicas  int8
	revision  int8 // 0, except in an earlier state
	rolledOut bool // only in a snapshot
}

type routesWorld struct {
	from, to int8
	phase    int8  // index of phaseOrder
	marks    int16 // never if there are none
}

type podWorld struct {
	exists, deleted bool
	routes          routesWorld
	end             int16 // deletion timestamp
}

type statusWorld struct {
	exists        bool
	list          int8 // length of serverList
	proxy         bool
	routes        routesWorld
	phase         int8 // index of resizePhases
	from, to      int8
	until         int16
	revision      int8
	scaling       bool
	replicas      int8
	step          int16
	scalingObject int8 // 0: none, 1: workload, 2: Deployment
	scalingRev    int8
}

var resizePhases = []v1alpha1.ResizePhase{"", v1alpha1.ResizeWaiting, v1alpha1.ResizeAddingServers, v1alpha1.ResizePreparing,
	v1alpha1.ResizeWarmingUp, v1alpha1.ResizeClosing, v1alpha1.ResizeRemovingServers}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds int16) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }

func fromEpoch(t time.Time) int16 {
	return int16(max(t.Sub(epoch)/time.Second, past))
}

// later moves a time closer. It is past when no clock is before it any more.
func later(seconds *int16, limit int16) {
	if *seconds == never {
		return
	}
	if *seconds -= tick; *seconds < -limit {
		*seconds = past
	}
}

// pass lets time pass. Nothing is observed late afterwards.
func (w *world) pass() {
	if w.allWarming() {
		w.warm = tick
	}
	w.before = 0
	later(&w.status.until, skew)
	later(&w.status.step, skew+interval)
	for i := range w.pods {
		if w.pods[i].deleted { // grace and stopDelay are over
			w.pods[i] = podWorld{}
		}
	}
}

// endMarks lets so much time pass that all marks end. This time is much longer than the others, so it passes separately.
func (w *world) endMarks() {
	w.pass()
	w.marks = never
	w.deployment.routes.endMarks()
	w.status.routes.endMarks()
	for i := range w.pods {
		w.pods[i].routes.endMarks()
	}
}

func (r *routesWorld) endMarks() {
	if r.from != 0 && r.marks != never {
		r.marks = past
	}
}

func (w world) allWarming() bool {
	found := false
	for _, pod := range w.pods {
		if pod.exists {
			found = true
			if phaseOrder[pod.routes.phase] != Warming {
				return false
			}
		}
	}
	return found
}

// normal returns the same world for all worlds that no rule distinguishes. With forget, those with a status of another rollout
// than the one that exists are the same: the spaces with losses explore that it has no influence.
func (w world) normal(forget bool) world {
	if forget && w.status.proxy && w.status.revision < 0 && w.deployment.exists {
		w.status.routes, w.status.revision, w.status.until = w.deployment.routes, -2, never
		w.status.phase, w.status.from, w.status.to = 0, 0, 0
	}
	slices.SortFunc(w.pods[:], comparePods)
	if !w.allWarming() {
		w.warm = 0
	}
	for i, server := range w.servers {
		if !server.exists {
			w.servers[i] = serverWorld{}
		}
	}
	return w
}

func comparePods(a, b podWorld) int { return a.order() - b.order() }

func (p podWorld) order() int {
	if !p.exists {
		return 1 << 40
	}
	order := int(p.routes.from)<<3 | int(p.routes.to)
	order = order<<3 | int(p.routes.phase)
	order = order<<1 | bit(p.deleted)
	return order<<12 | int(max(p.routes.marks, past-1)-past+1)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
