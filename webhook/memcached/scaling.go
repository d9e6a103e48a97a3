package memcached

import (
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

const (
	defaultStepInterval = time.Minute
	// maxReplicas is the maximum of spec.size in the CRD.
	maxReplicas = 1000
)

// scale is how far a change of size has come.
type scale struct {
	// replicas is how many the workload should have now; size is how many it should have in the end.
	replicas, size int32
	// next is how many it will have after the next step.
	next     int32
	interval time.Duration
	// status is the last step, and nil where a change of size is one step.
	status *ScalingStatus
	// wait is the time until the next step, and 0 where there is none or where it waits for pods.
	wait time.Duration
}

// scaleOf takes the next step if it is time, and otherwise stays where the last one went.
//
// The last step is what status says as long as that agrees with the workload. A step that status does not know of, as
// when a status was lost, counts as taken just now: waiting once too often harms no cache.
func scaleOf(memcached *Memcached, workload *object.Workload, now metav1.Time) scale {
	spec := &memcached.Spec
	at := scale{replicas: *spec.Size, size: *spec.Size, next: *spec.Size}
	if spec.Scaling.MaxStep == nil {
		return at
	}
	at.interval = defaultStepInterval
	if seconds := spec.Scaling.StepIntervalSeconds; seconds != nil {
		at.interval = time.Duration(*seconds) * time.Second
	}
	last := memcached.Status.Scaling
	if workload == nil {
		at.status = &ScalingStatus{Replicas: at.size, LastStepTime: lastStepTime(last)}
		return at
	}
	// More than a Memcached can ask for are a mistake of somebody's, and nothing that steps should start from.
	last = reconcile(last, min(*workload.Spec.Replicas, maxReplicas), at.size, at.interval, now)
	at.replicas, at.status = last.Replicas, last
	at.wait = untilNext(last, at.interval, now)
	if at.wait == 0 && at.mayStep(workload) {
		at.replicas = step(at.replicas, at.size, *spec.Scaling.MaxStep)
		at.status = &ScalingStatus{Replicas: at.replicas, LastStepTime: new(now.Rfc3339Copy())}
		at.wait = at.interval
	}
	at.next = step(at.replicas, at.size, *spec.Scaling.MaxStep)
	if !at.pending() {
		at.wait = 0
	}
	return at
}

// pending is true while there are steps to come.
func (s scale) pending() bool { return s.replicas != s.size }

// mayStep is true unless the step is one up and pods of the one before do not serve yet: clients would lose the keys of
// two steps at once.
func (s scale) mayStep(workload *object.Workload) bool {
	return s.pending() && (s.size < s.replicas || workload.Status.AvailableReplicas >= s.replicas)
}

// String tells about the steps to come, in words that stay the same while they wait.
func (s scale) String() string {
	return fmt.Sprintf("scaling in steps: %d of %d replicas for now; the next step, to %d, comes %s after the last at the earliest and moves about %d%% of the keys of clients that hash consistently",
		s.replicas, s.size, s.next, s.interval, moved(s.replicas, s.next))
}

// steps describes the steps to come; nil when there are none.
func (s scale) steps() *object.Problem {
	if !s.pending() {
		return nil
	}
	return &object.Problem{Reason: ReasonScaling, Message: s.String()}
}

// lastStep returns when the last step was; the zero time when there was none.
func (s scale) lastStep() time.Time {
	if s.status == nil || s.status.LastStepTime == nil {
		return time.Time{}
	}
	return s.status.LastStepTime.Time
}

// reconcile returns the last step by what status and the workload say. Metacontroller's view of either may lag a moment
// behind: just after a step, status is right. But no step takes pods that both run and are asked for, whatever status says.
func reconcile(last *ScalingStatus, replicas, size int32, interval time.Duration, now metav1.Time) *ScalingStatus {
	if last != nil && last.Replicas >= min(replicas, size) && (last.Replicas == replicas || remaining(last, interval, now) > 0) {
		return last
	}
	return &ScalingStatus{Replicas: replicas, LastStepTime: new(now.Rfc3339Copy())}
}

func untilNext(last *ScalingStatus, interval time.Duration, now metav1.Time) time.Duration {
	if last.Replicas == 0 {
		return 0 // from none there is no key that a wait could spare
	}
	return remaining(last, interval, now)
}

// remaining is what is left of the interval since the last step.
func remaining(last *ScalingStatus, interval time.Duration, now metav1.Time) time.Duration {
	if last.LastStepTime == nil {
		return 0
	}
	// A clock that was set back must not hold up the next step for longer than the interval.
	return min(max(last.LastStepTime.Add(interval).Sub(now.Time), 0), interval)
}

func lastStepTime(last *ScalingStatus) *metav1.Time {
	if last == nil {
		return nil
	}
	return last.LastStepTime
}

// step moves a number of replicas towards another by at most so many. From none it goes all the way: there is no cache
// yet that a step could spare.
func step(from, to, most int32) int32 {
	switch {
	case from == 0:
		return to
	case to-from > most:
		return from + most
	case from-to > most:
		return from - most
	}
	return to
}

// moved returns the percentage of keys that a consistent hash maps to another server when the number of servers changes.
func moved(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	if high == 0 {
		return 0
	}
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}
