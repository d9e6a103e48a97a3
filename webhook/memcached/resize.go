package memcached

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ReasonResizing is the reason of Progressing during a change of size with proxies.
const ReasonResizing = "Resizing"

// removalDelay is how long lists must be the desired lists before servers are removed. Metacontroller observes changes after
// a second or two, and until then newer proxies may exist than those that are observed.
const removalDelay = 10 * time.Second

// resizeState is what a change of size with proxies is decided from.
//
// A change from n to m servers changes the lists of the proxies in three steps, each of which is a rollout of the proxies:
//
//	n           all proxies use n servers
//	n, then m   each write also deletes from m, so that no value is stored in both lists; reads find keys in m, but leave them
//	m, then n   they use m servers, and move keys that they find only in n; the warm-up begins after this rollout
//	m           all proxies use m servers
//
// While two successive steps run side by side, both kinds of proxies find the keys that the other kind has stored. Servers
// are added before the first step and removed after the last one.
//
// The observed proxies are the state: a status that was lost or is outdated only makes a warm-up longer.
type resizeState struct {
	// target is the desired number of servers: spec.size, or the size of the current step.
	target int32
	// servers is the number of replicas of the observed StatefulSet; nil if there is none.
	servers *int32
	// ready is the number of servers after the change if all new servers up to it are ready.
	ready int32
	// observed are the lists of the observed proxies; no lists if there are none.
	observed routes
	// recorded are the desired lists of the last sync, and recordedAt is when they became the desired lists; no lists and nil
	// if status was lost.
	recorded   routes
	recordedAt *metav1.Time
	// settled reports whether all desired proxies are available, and no proxy that may still run has other lists.
	settled bool
	// stopped reports whether no proxy runs.
	stopped bool
	// until is the end of the warm-up of the observed lists in status; nil if it has not begun.
	until  *metav1.Time
	warmup time.Duration
	now    metav1.Time
}

// resize is the result of [resizeState.decide].
type resize struct {
	// replicas is the number of replicas that the StatefulSet should have.
	replicas int32
	// routes are the lists that the proxies should have.
	routes routes
	// preparing reports whether the previous list is the list after the change, which no proxy or not every proxy uses yet.
	preparing bool
	// status is the change that is under way; nil if there is none.
	status *v1alpha1.ResizeStatus
	// changed is when the lists became the desired lists.
	changed metav1.Time
	// wait is the time until the next state; 0 if it does not depend on time.
	wait time.Duration
}

// decide returns the next state. It never removes a server that a running proxy may use, and never drops the previous list
// before the end of the warm-up. If the target changes, the change that is under way first ends or turns back.
func (s resizeState) decide() resize {
	result := resize{routes: s.observed}
	var until *metav1.Time
	switch {
	case s.target == 0:
		result.routes.current = max(s.observed.current, 1) // for proxies without pods
	case s.observed.current == 0 || s.count() == 0:
		result.routes = s.firstRoutes()
	case s.settled:
		result.routes, until = s.next()
	case s.goal() != s.observed.previous && s.until != nil:
		until = s.warmupEnd() // a rollout for another reason does not interrupt a warm-up
	}
	if until != nil {
		result.wait = max(until.Sub(s.now.Time), 0)
	}
	result.changed = s.changed(result.routes)
	age := s.now.Sub(result.changed.Time)
	result.replicas = s.replicas(result.routes, age)
	if s.servers != nil && *s.servers > s.target && age < removalDelay {
		result.wait = conditions.Soonest(result.wait, removalDelay-age)
	}
	result.preparing = s.preparing(result.routes)
	result.status = s.status(result.routes, until)
	return result
}

// changed returns when lists became the desired lists. It is now if status does not have them.
func (s resizeState) changed(desired routes) metav1.Time {
	if s.recorded != desired || s.recordedAt == nil || s.recordedAt.After(s.now.Time) {
		return s.now.Rfc3339Copy()
	}
	return *s.recordedAt
}

// count returns the number of servers. A missing StatefulSet may be one that is not observed for a moment, so it counts as
// complete.
func (s resizeState) count() int32 {
	switch {
	case s.servers != nil:
		return min(*s.servers, maxReplicas) // a larger number is a manual mistake
	case s.stopped:
		return s.target
	}
	return max(s.target, s.observed.longest())
}

// goal returns the number of servers after the change that is under way. A change to a target beyond it follows later.
func (s resizeState) goal() int32 {
	if s.observed.previous == 0 {
		return s.target
	}
	return min(max(s.target, min(s.observed.current, s.observed.previous)), s.observed.longest())
}

// preparing reports whether the change under way ends with the previous one of the desired lists.
func (s resizeState) preparing(desired routes) bool {
	s.observed = desired
	return s.target > 0 && desired.previous != 0 && s.goal() == desired.previous
}

// firstRoutes returns the lists of new proxies. They use the servers that exist, because these may have keys.
func (s resizeState) firstRoutes() routes {
	if count := s.count(); 0 < count && count < s.target {
		return routes{current: count}
	}
	return routes{current: s.target}
}

// next returns the lists after the observed ones, and the end of a warm-up. All proxies have the observed lists.
func (s resizeState) next() (routes, *metav1.Time) {
	goal, observed := s.goal(), s.observed
	switch {
	case goal == observed.current && observed.previous == 0:
		return observed, nil
	case goal > observed.current && s.ready < goal:
		return observed, nil
	case observed.previous == 0 && s.warmup == 0:
		return routes{current: goal}, nil
	case observed.previous == 0:
		return routes{current: observed.current, previous: goal}, nil
	case goal == observed.previous:
		return routes{current: observed.previous, previous: observed.current}, nil
	}
	if until := s.warmupEnd(); until.After(s.now.Time) {
		return observed, until
	}
	return routes{current: observed.current}, nil
}

// warmupEnd returns the end of the warm-up. It is never later than a full warm-up from now, also if a clock was set back or
// spec.proxy.warmup.seconds has decreased.
func (s resizeState) warmupEnd() *metav1.Time {
	latest := metav1.NewTime(s.now.Add(s.warmup)).Rfc3339Copy()
	if s.until == nil || s.until.After(latest.Time) {
		return &latest
	}
	return s.until
}

// replicas returns the number of servers that the target, the observed proxies and the desired proxies need. No server is
// removed if proxies with other lists may run, or if proxies with newer lists may exist that are not observed yet.
func (s resizeState) replicas(desired routes, age time.Duration) int32 {
	removable := age >= removalDelay && (s.stopped || s.settled && s.target > 0)
	switch {
	case s.target == 0 && removable:
		return 0
	case s.target == 0:
		return s.count()
	}
	needed := max(s.target, desired.longest())
	if !s.stopped {
		needed = max(needed, s.observed.longest())
	}
	if !removable {
		needed = max(needed, s.count())
	}
	return needed
}

// status returns the change that is under way; nil if there is none.
func (s resizeState) status(desired routes, until *metav1.Time) *v1alpha1.ResizeStatus {
	after := s
	after.observed = desired
	goal := after.goal()
	switch {
	case s.target == 0 && s.stopped && s.count() == 0:
		return nil
	case s.target == 0:
		return &v1alpha1.ResizeStatus{From: s.count(), Phase: v1alpha1.ResizeRemovingServers}
	case s.preparing(desired):
		return &v1alpha1.ResizeStatus{From: desired.current, To: goal, Phase: v1alpha1.ResizePreparing}
	case desired.previous != 0:
		return &v1alpha1.ResizeStatus{From: desired.previous, To: desired.current, Phase: v1alpha1.ResizeWarmingUp, Until: until}
	case goal > desired.current:
		return &v1alpha1.ResizeStatus{From: desired.current, To: goal, Phase: v1alpha1.ResizeAddingServers}
	case goal < desired.current:
		return &v1alpha1.ResizeStatus{From: desired.current, To: goal, Phase: v1alpha1.ResizePreparing}
	case s.count() > goal:
		return &v1alpha1.ResizeStatus{From: s.count(), To: goal, Phase: v1alpha1.ResizeRemovingServers}
	}
	return nil
}

// progress describes the phase and what the next one waits for; nil if no change is under way. The text stays the same
// during a phase.
func (r resize) progress() *conditions.Problem {
	if r.status == nil {
		return nil
	}
	var phase string
	switch r.status.Phase {
	case v1alpha1.ResizeAddingServers:
		phase = "New servers start, and the proxies use them once all are ready."
	case v1alpha1.ResizePreparing:
		phase = fmt.Sprintf("The proxies still use %d servers, and are rolled out so that their writes also delete from the new list. The next phase, WarmingUp, begins after this rollout.", r.status.From)
	case v1alpha1.ResizeWarmingUp:
		phase = fmt.Sprintf("The proxies are rolled out to use %d servers, and to read misses from the previous %d. The warm-up begins after this rollout.", r.status.To, r.status.From)
		if r.status.Until != nil {
			phase = fmt.Sprintf("The proxies use %d servers, and read misses from the previous %d until %s.", r.status.To, r.status.From, r.status.Until.UTC().Format(time.RFC3339))
		}
	case v1alpha1.ResizeRemovingServers:
		phase = "Servers are removed once no running proxy uses them."
	}
	return &conditions.Problem{Reason: ReasonResizing, Message: fmt.Sprintf("Resizing from %d to %d servers, phase %s: %s", r.status.From, r.status.To, r.status.Phase, phase)}
}
