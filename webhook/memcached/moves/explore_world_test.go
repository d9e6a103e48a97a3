package moves

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// A world is a state of a small cluster with one cache. Worlds are compared, so all slices have a fixed length and an order.
// Times are in seconds from now, and times that no rule distinguishes are the same time. Revisions of a child count down: the
// child has the revision 0, an earlier one has -1, and all before it -2. Ordinals count from the lowest one that any rule reads.
type world struct {
	objects
	// before is the number of the snapshot before the last change of the objects that are observed late; 0 if there is none.
	before int32

	// warmed reports whether all proxies have been warming for at least the warm-up.
	warmed bool
	// copied reports whether a Job that began when all proxies were warming has read all items, or has given up servers that do not respond, and
	// only such proxies have run since. cleaned reports whether a Job of this rollout has cleaned the servers that stay in a decrease, and only proxies that use the
	// servers before have run since. Without, these servers have items of earlier changes.
	copied, cleaned bool
	// claims reports whether a preparing or warming proxy may have left short-lived items that steady proxies would return.
	claims bool
	// nodes is the number of nodes that may still stop to respond, and evictions that of servers that may still be deleted.
	nodes, evictions int8
	// broken reports whether the servers of brokenTemplate never get ready any more, for example because their image is gone.
	broken bool
}

// objects are what syncs observe. A snapshot has those of one kind before their last change.
type objects struct {
	status     statusWorld
	set        setWorld
	deployment deploymentWorld
	copy       copyWorld
	pods       [maxPods]podWorld // the proxies, also those that are being deleted
	servers    [window]serverWorld

	size     int8
	desired  bool // spec has proxies
	cold     bool // spec has no warm-up
	template int8 // the one in spec
}

type snapshot = objects

const (
	maxSize = 3
	maxPods = 4
	proxies = 2
	// window is the number of ordinals: those that stop, those that serve, those that follow, and the next ones.
	window = 10

	tick     = 131 // longer than each wait of a decision
	skew     = 120 // the clocks of hooks are up to this time off
	warmup   = 60
	interval = 60

	past  = -600 // or earlier: before each time that a rule compares
	never = -32000
)

// setWorld is the StatefulSet.
type setWorld struct {
	exists                     bool
	start, replicas, partition int8
	// template is the one of the StatefulSet, and current that of status.currentRevision: the first pods of partition restart with it.
	template, current int8
	revision          int8
}

func (s setWorld) run() Range { return Range{int32(s.start), int32(s.replicas)} }

// restarts returns the pod template of a pod that starts.
func (s setWorld) restarts(ordinal int) int8 {
	if ordinal < int(s.start+s.partition) {
		return s.current
	}
	return s.template
}

type serverWorld struct {
	exists bool
	// used reports whether the server may have items.
	used bool
	// stops reports whether the pod was deleted, and starting whether memcached does not serve yet.
	stops, starting bool
	// lost reports whether the node of a pod that was deleted does not respond: the server may run on, and the pod exists.
	lost     bool
	template int8
}

type deploymentWorld struct {
	exists    bool
	replicas  int8
	revision  int8 // 0, except in an earlier state
	updated   bool // only if it is observed
	rolledOut bool // only if it is observed
	unreached bool // a rollout may stop all proxies; only with outages
	routes    routesWorld
}

// routesWorld is the zero value if the label was edited.
type routesWorld struct {
	from, to serversWorld
	phase    int8 // index of phaseOrder
}

type serversWorld struct {
	first, count int8
	spares       [2]spareWorld
}

type spareWorld struct{ absent, ordinal int8 }

type podWorld struct {
	exists, deleted bool
	available       bool // always without outages
	routes          routesWorld
}

type statusWorld struct {
	until, step        int16
	proxy, scaling     bool
	recorded           serversWorld
	purpose            int8 // index of purposes
	routes             routesWorld
	phase              int8 // index of movePhases
	from, to, revision int8
	replicas           int8
	scalingObject      int8 // 0: none
	scalingRev         int8
}

var lostStatus = statusWorld{until: never, step: never}

var movePhases = []v1alpha1.MovePhase{"", v1alpha1.MoveWaiting, v1alpha1.MoveAddingServers, v1alpha1.MoveCleaning,
	v1alpha1.MovePreparing, v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing, v1alpha1.MoveRemovingServers}

var purposes = []v1alpha1.MovePurpose{"", v1alpha1.MoveResize, v1alpha1.MoveReplace, v1alpha1.MoveToSpare, v1alpha1.MoveReturn}

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

// pass lets time pass, in which clients use the cache. Nothing is observed late afterwards. A proxy that is being deleted may run on.
func (w *world) pass() {
	w.use()
	w.warmed = w.allWarming()
	w.before = 0
	w.claims = w.claiming()
	later(&w.status.until, skew)
	if w.copy.routes != (routesWorld{}) {
		later(&w.copy.created, skew+warmup)
	}
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
		return pod.routes.routes().Serving() != job.from.pool()
	})
}

func (w *world) allWarming() bool {
	return len(w.running()) > 0 && w.only(routesWorld{phase: warming})
}

// use marks the servers that running proxies use.
func (w *world) use() {
	for _, pod := range w.pods {
		r := pod.routes.routes()
		for i := range w.servers {
			if pod.exists && (r.FindsItems(int32(i)) || r.Phase == Closing && r.From.Has(int32(i))) {
				w.servers[i].used = w.servers[i].exists && !w.servers[i].starting
			}
		}
	}
	w.claims = w.claims || w.claiming()
}
