package scaling

import (
	"slices"
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
	workloads  [2]workloadWorld // of each set
	deployment deploymentWorld
	copy       copyWorld
	pods       [maxPods]podWorld // the proxies, also those that are being deleted
	servers    [2][maxSize]serverWorld

	size    int8
	desired bool // spec has proxies

	// warmed reports whether all proxies have been warming for at least the warm-up.
	warmed bool
	// copied reports whether a Job that began when all proxies were warming has read all items, and only such proxies have run
	// since. cleaned reports whether a Job of this rollout has cleaned the servers that stay in a decrease, and only proxies that use the
	// servers before have run since. Without, these servers have items of earlier changes.
	copied, cleaned bool
	// claims reports whether a preparing or warming proxy may have left short-lived items that steady proxies would return.
	claims bool
}

// A snapshot has the state of those objects before their last change.
type snapshot struct {
	status     statusWorld
	workloads  [2]workloadWorld
	deployment deploymentWorld
	copy       copyWorld
	pods       [maxPods]podWorld
	servers    [2][maxSize]serverWorld
	size       int8
	desired    bool
}

const (
	maxSize = 3
	maxPods = 4
	proxies = 2

	tick     = 131 // longer than each wait of the planner
	skew     = 120 // the clocks of hooks are up to this time off
	warmup   = 60
	interval = 60

	past  = -600 // or earlier: before each time that a rule compares
	never = -32000
)

type workloadWorld struct {
	exists             bool
	replicas, revision int8
	// outdated reports whether the pod template is not the desired one, and rolling whether pods may have another one.
	outdated, rolling bool
}

type serverWorld struct {
	exists bool
	// used reports whether the server may have items.
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
	from, to serversWorld
	phase    int8 // index of phaseOrder
}

// serversWorld is a number of servers, plus secondSet for those of the second set.
type serversWorld int8

const secondSet = 8

type podWorld struct {
	exists, deleted bool
	routes          routesWorld
}

type statusWorld struct {
	until, step        int16
	proxy, scaling     bool
	list               [2]int8 // number of servers of each set
	replaces           bool
	routes             routesWorld
	phase              int8 // index of resizePhases
	from, to, revision int8
	replicas           int8
	scalingObject      int8 // 0: none
	scalingRev         int8
}

var lostStatus = statusWorld{until: never, step: never}

var resizePhases = []v1alpha1.ResizePhase{"", v1alpha1.ResizeWaiting, v1alpha1.ResizeAddingServers, v1alpha1.ResizeCleaning,
	v1alpha1.ResizePreparing, v1alpha1.ResizeWarmingUp, v1alpha1.ResizeClosing, v1alpha1.ResizeRemovingServers}

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

// pass lets time pass. Nothing is observed late afterwards. A proxy that is being deleted may run on.
func (w *world) pass() {
	w.warmed = w.allWarming()
	w.before = 0
	w.claims = w.claiming()
	later(&w.status.until, skew)
	later(&w.status.step, skew+interval)
}

// claiming reports whether a proxy runs that writes short-lived items.
func (w *world) claiming() bool {
	return slices.ContainsFunc(w.running(), func(pod podWorld) bool {
		return phaseOrder[pod.routes.phase] == Preparing || phaseOrder[pod.routes.phase] == Warming
	})
}

// only reports whether no proxy runs that prevents the work of a Job: a copy needs proxies that move items, and a Job that cleans needs
// proxies that use the servers before the change.
func (w *world) only(job routesWorld) bool {
	return !slices.ContainsFunc(w.running(), func(pod podWorld) bool {
		if job.phase == warming {
			return pod.routes.phase != warming
		}
		return pod.routes.routes().Used() != job.from.servers()
	})
}

func (w *world) allWarming() bool {
	return len(w.running()) > 0 && w.only(routesWorld{phase: warming})
}
