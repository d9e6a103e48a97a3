package memcached

import (
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// ReasonScaling is the reason of Progressing while a change of size takes several steps.
const ReasonScaling = "Scaling"

const (
	// maxViewLag is how far Metacontroller's view of the workload may be behind a step that status has recorded. A view
	// is seconds behind; a record that is older is from an earlier change of size, or somebody has edited the workload.
	maxViewLag = time.Minute
	// maxReplicas is the maximum of spec.size in the CRD.
	maxReplicas = 1000
)

// scale is the progress of a change of size.
type scale struct {
	// replicas is how many the workload should have now; size is how many it should have in the end.
	replicas, size int32
	// next is how many it will have after the next step.
	next     int32
	maxStep  int32
	interval time.Duration
	// status is the last step, and nil where a change of size is one step.
	status *v1alpha1.ScalingStatus
	// wait is the time until the next step, and 0 where there is none or where it waits for pods.
	wait time.Duration
}

// scaleOf returns the number of replicas that the workload should have now, at most one step from what is observed.
//
// The workload decides where a step starts, and status only when the last one was taken. Both views may be behind by one
// step, lost, or edited. Whenever they disagree, the time of the last step is now: to wait once too often harms no cache.
func scaleOf(memcached *v1alpha1.Memcached, workload *observed.Workload, now metav1.Time) scale {
	spec := &memcached.Spec
	at := scale{replicas: *spec.Size, size: *spec.Size, next: *spec.Size}
	if spec.Scaling.MaxStep == nil {
		return at
	}
	at.maxStep = *spec.Scaling.MaxStep
	at.interval = defaultStepInterval
	if seconds := spec.Scaling.StepIntervalSeconds; seconds != nil {
		at.interval = time.Duration(*seconds) * time.Second
	}
	if workload == nil {
		at.status = &v1alpha1.ScalingStatus{Replicas: at.size, LastStepTime: lastStepTime(memcached.Status.Scaling, now)}
		return at
	}
	at.resume(memcached.Status.Scaling, *workload.Spec.Replicas, now)
	wait := at.untilNext(now)
	if wait == 0 && at.mayStep(workload) {
		at.record(at.step(at.replicas), now)
		wait = at.interval
	}
	at.next = at.step(at.replicas)
	if at.pending() {
		at.wait = wait
	}
	return at
}

// resume sets the replicas and the last step to continue from.
func (s *scale) resume(last *v1alpha1.ScalingStatus, observed int32, now metav1.Time) {
	// A larger number is a mistake that somebody made by hand. Steps do not start from it.
	observed = min(observed, maxReplicas)
	switch {
	case last == nil:
		s.record(observed, now)
	case s.unseen(last, observed, now):
		s.record(last.Replicas, now)
	case last.Replicas != observed || inFuture(last, now):
		s.record(observed, now)
	default:
		s.replicas, s.status = observed, last
	}
}

// unseen reports whether status has recorded a step that the observed workload does not show yet. Such a step is recent,
// and lies within one step from the observed replicas towards the size. Any other status is from another time: following
// it could delete pods or exceed maxStep.
func (s *scale) unseen(last *v1alpha1.ScalingStatus, observed int32, now metav1.Time) bool {
	if last.LastStepTime == nil || now.Sub(last.LastStepTime.Time).Abs() >= min(s.interval, maxViewLag) {
		return false // clocks of two hooks differ a little either way
	}
	reach := s.step(observed)
	return last.Replicas != observed && min(observed, reach) <= last.Replicas && last.Replicas <= max(observed, reach)
}

// record makes a number of replicas the last step, taken now.
func (s *scale) record(replicas int32, now metav1.Time) {
	s.replicas = replicas
	s.status = &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: new(now.Rfc3339Copy())}
}

// pending reports whether there are steps to come.
func (s scale) pending() bool { return s.replicas != s.size }

// mayStep reports whether pods allow a step. A step up waits until all pods of the one before serve: clients would lose
// the keys of two steps at the same time.
func (s scale) mayStep(workload *observed.Workload) bool {
	return s.pending() && (s.size < s.replicas || workload.Status.AvailableReplicas >= s.replicas)
}

// untilNext returns what is left of the interval since the last step, which is never in the future.
func (s scale) untilNext(now metav1.Time) time.Duration {
	if s.replicas == 0 || s.status.LastStepTime == nil {
		return 0 // from none there is no key that a wait could keep
	}
	return max(s.status.LastStepTime.Add(s.interval).Sub(now.Time), 0)
}

// step returns the replicas after one step towards the size. From none it goes all the way: there is no cache yet.
func (s scale) step(from int32) int32 {
	if from == 0 {
		return s.size
	}
	return min(max(s.size, from-s.maxStep), from+s.maxStep)
}

// String describes the steps to come, in words that stay the same while they wait.
func (s scale) String() string {
	return fmt.Sprintf("Scaling in steps: %d of %d replicas for now. The next step, to %d, comes %s after the last one at the earliest, and moves about %d%% of the keys of clients that hash consistently.",
		s.replicas, s.size, s.next, s.interval, moved(s.replicas, s.next))
}

// steps describes the steps to come; nil when there are none.
func (s scale) steps() *conditions.Problem {
	if !s.pending() {
		return nil
	}
	return &conditions.Problem{Reason: ReasonScaling, Message: s.String()}
}

// lastStep returns when the last step was; the zero time when there was none.
func (s scale) lastStep() time.Time {
	if s.status == nil || s.status.LastStepTime == nil {
		return time.Time{}
	}
	return s.status.LastStepTime.Time
}

// lastStepTime returns when the last step was taken, at the latest now; nil for none.
func lastStepTime(last *v1alpha1.ScalingStatus, now metav1.Time) *metav1.Time {
	switch {
	case last == nil:
		return nil
	case inFuture(last, now):
		return new(now.Rfc3339Copy())
	}
	return last.LastStepTime
}

// moved returns the percentage of keys that a consistent hash maps to another server when the number of servers changes.
func moved(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	if high == 0 {
		return 0
	}
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}

// inFuture reports whether a step seems to be later than now, as when a clock was set back. Such a time would block the next
// step until then.
func inFuture(step *v1alpha1.ScalingStatus, now metav1.Time) bool {
	return step.LastStepTime != nil && step.LastStepTime.After(now.Time)
}
