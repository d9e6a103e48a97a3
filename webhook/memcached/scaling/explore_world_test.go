package scaling

import (
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// A world is a state of a small cluster with one cache. Worlds are compared, so all slices have a fixed length and an order.
// Times are in seconds from now, and times that no rule distinguishes are the same time. Revisions of a child count down: the
// child has the revision 0, an earlier one has -1, and all before it -2.
type world struct {
	// before is the number of the snapshot before the last change of the objects that are observed late; 0 if there is none.
	before int32

	status     statusWorld
	workload   workloadWorld
	deployment deploymentWorld
	copy       copyWorld
	pods       [maxPods]podWorld // the proxies, also those that are being deleted
	servers    [maxSize]serverWorld

	size    int8
	desired bool // spec has proxies

	// warmed reports whether all proxies have been warming for at least the warm-up.
	warmed bool
	// copied reports whether a Job that began when all proxies were warming has read all items, and only such proxies have run
	// since.
	copied bool
	// marks is when the last mark of an increase ends.
	marks marksEnd
}

// A snapshot has the state of those objects before their last change.
type snapshot struct {
	status     statusWorld
	workload   workloadWorld
	deployment deploymentWorld
	copy       copyWorld
	pods       [maxPods]podWorld
	servers    [maxSize]serverWorld
	size       int8
	desired    bool
}

const (
	maxSize = 3
	maxPods = 4
	proxies = 2

	tick     = 131 // longer than each wait of the planner but those for marks
	skew     = 120 // the clocks of hooks are up to this time off
	grace    = 30  // from the deletion of a proxy to its deletion timestamp
	warmup   = 60
	interval = 60

	past  = -600 // or earlier: before each time that a rule compares
	never = -32000
)

// marksEnd is the end of marks. This time is much longer than the others, so it passes separately, in [world.endMarks].
type marksEnd int8

const (
	noMarks marksEnd = iota
	endedMarks
	newMarks   // of a warm-up that begins
	laterMarks // the same, if the clock of the hook is ahead
)

var marksEnds = [...]int16{noMarks: never, endedMarks: past, newMarks: warmup + 600 + skew, laterMarks: warmup + 600 + 2*skew}

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
	replicas  int8
	revision  int8 // 0, except in an earlier state
	rolledOut bool // only if it is observed
	routes    routesWorld
}

// routesWorld is the zero value if the label was edited.
type routesWorld struct {
	from, to int8
	phase    int8 // index of phaseOrder
	marks    marksEnd
}

type podWorld struct {
	exists, deleted bool
	routes          routesWorld
}

type statusWorld struct {
	until, step        int16
	proxy, scaling     bool
	servers            int8 // length of status.servers
	routes             routesWorld
	phase              int8 // index of resizePhases
	from, to, revision int8
	replicas           int8
	scalingObject      int8 // 0: none, 1: workload, 2: Deployment
	scalingRev         int8
}

var lostStatus = statusWorld{until: never, step: never}

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
	w.warmed = w.allWarming()
	w.before = 0
	later(&w.status.until, skew)
	later(&w.status.step, skew+interval)
	for i := range w.pods {
		if w.pods[i].deleted { // grace and stopDelay are over
			w.pods[i] = podWorld{}
		}
	}
}

// endMarks lets so much time pass that all marks end.
func (w *world) endMarks() {
	w.pass()
	w.marks = noMarks
	w.deployment.routes.endMarks()
	w.copy.routes.endMarks()
	w.status.routes.endMarks()
	for i := range w.pods {
		w.pods[i].routes.endMarks()
	}
}

func (r *routesWorld) endMarks() { r.marks = min(r.marks, endedMarks) }

// onlyWarming reports whether no proxy runs that does not move items.
func (w *world) onlyWarming() bool {
	for _, pod := range w.pods {
		if pod.exists && phaseOrder[pod.routes.phase] != Warming {
			return false
		}
	}
	return true
}

func (w *world) allWarming() bool {
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
