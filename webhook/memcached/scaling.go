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

// ReasonScaling is the reason of Progressing during a change of size in several steps.
const ReasonScaling = "Scaling"

const (
	// maxViewLag limits how old a step in status may be that the observed workload does not show yet. Metacontroller observes
	// changes after seconds. An older step is from an earlier change of size, or somebody has edited the workload.
	maxViewLag = time.Minute
	// maxReplicas is the maximum of spec.size in the CRD.
	maxReplicas = 1000
)

// scale is the progress of a change of size.
type scale struct {
	// replicas is the desired number of replicas now, size the desired number after the last step.
	replicas, size int32
	// next is the number of replicas after the next step.
	next     int32
	maxStep  int32
	interval time.Duration
	// status is the last step; nil if spec.scaling.maxStep is not set.
	status *v1alpha1.ScalingStatus
	// wait is the time until the next step; 0 if there is no next step, or if the next step waits for pods.
	wait time.Duration
}

// scaleOf returns the replicas that the workload should have now. They are at most one step from the observed replicas.
//
// A step starts from the replicas of the workload. Status only records the time of the last step. Both may be one step
// behind, lost, or edited. If they differ, the time of the last step is now, because an unnecessary wait harms no cache.
// While the last step is busy, there is no next step.
func scaleOf(memcached *v1alpha1.Memcached, workload *observed.Workload, busy bool, now metav1.Time) scale {
	spec := &memcached.Spec
	s := scale{replicas: *spec.Size, size: *spec.Size, next: *spec.Size}
	if spec.Scaling.MaxStep == nil {
		return s
	}
	s.maxStep = *spec.Scaling.MaxStep
	s.interval = defaultStepInterval
	if seconds := spec.Scaling.StepIntervalSeconds; seconds != nil {
		s.interval = time.Duration(*seconds) * time.Second
	}
	if workload == nil {
		s.status = &v1alpha1.ScalingStatus{Replicas: s.size, LastStepTime: lastStepTime(memcached.Status.Scaling, now)}
		return s
	}
	s.resume(memcached.Status.Scaling, *workload.Spec.Replicas, now)
	wait := s.untilNext(now)
	if wait == 0 && !busy && s.mayStep(workload) {
		s.record(s.step(s.replicas), now)
		wait = s.interval
	}
	s.next = s.step(s.replicas)
	if s.pending() {
		s.wait = wait
	}
	return s
}

// resume sets the replicas and the last step from which to continue.
func (s *scale) resume(last *v1alpha1.ScalingStatus, current int32, now metav1.Time) {
	current = min(current, maxReplicas) // a larger number is a manual mistake, and steps do not start from it
	switch {
	case last == nil:
		s.record(current, now)
	case s.notObserved(last, current, now):
		s.record(last.Replicas, now)
	case last.Replicas != current || isFuture(last, now):
		s.record(current, now)
	default:
		s.replicas, s.status = current, last
	}
}

// notObserved reports whether status has recorded a step that the observed workload does not show yet. Such a step is
// recent, and at most one step from the current replicas towards the size. Any other status is outdated: it could delete
// pods or exceed maxStep.
func (s *scale) notObserved(last *v1alpha1.ScalingStatus, current int32, now metav1.Time) bool {
	if last.LastStepTime == nil || now.Sub(last.LastStepTime.Time).Abs() >= min(s.interval, maxViewLag) {
		return false // the absolute age, because the clocks of two hooks may differ
	}
	next := s.step(current)
	return last.Replicas != current && min(current, next) <= last.Replicas && last.Replicas <= max(current, next)
}

// record sets the last step to replicas, with the time of now.
func (s *scale) record(replicas int32, now metav1.Time) {
	s.replicas = replicas
	s.status = &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: new(now.Rfc3339Copy())}
}

// pending reports whether more steps are needed.
func (s scale) pending() bool { return s.replicas != s.size }

// mayStep reports whether the pods allow the next step. A step up waits until all pods of the previous step are available.
// Otherwise clients would miss the keys of two steps at the same time.
func (s scale) mayStep(workload *observed.Workload) bool {
	return s.pending() && (s.size < s.replicas || workload.Status.AvailableReplicas >= s.replicas)
}

// untilNext returns the rest of the interval since the last step. The time of the last step is not in the future.
func (s scale) untilNext(now metav1.Time) time.Duration {
	if s.replicas == 0 || s.status.LastStepTime == nil {
		return 0 // without pods there are no keys to keep
	}
	return max(s.status.LastStepTime.Add(s.interval).Sub(now.Time), 0)
}

// step returns the replicas after one step towards the size. A step from 0 reaches the size, because there are no keys to
// keep.
func (s scale) step(from int32) int32 {
	if from == 0 {
		return s.size
	}
	return min(max(s.size, from-s.maxStep), from+s.maxStep)
}

// String describes the next step. The text stays the same while the step waits.
func (s scale) String() string {
	return fmt.Sprintf("Scaling in steps from %d to %d replicas. The next step, to %d, follows at least %s after the last step and moves about %d%% of the keys of clients with consistent hashing.",
		s.replicas, s.size, s.next, s.interval, movedKeysPercent(s.replicas, s.next))
}

// steps returns the description of the next step; nil if there is none.
func (s scale) steps() *conditions.Problem {
	if !s.pending() {
		return nil
	}
	return &conditions.Problem{Reason: ReasonScaling, Message: s.String()}
}

// lastStep returns the time of the last step; the zero time if there was none.
func (s scale) lastStep() time.Time {
	if s.status == nil || s.status.LastStepTime == nil {
		return time.Time{}
	}
	return s.status.LastStepTime.Time
}

// lastStepTime returns the time of the last step, but not later than now; nil if there was none.
func lastStepTime(last *v1alpha1.ScalingStatus, now metav1.Time) *metav1.Time {
	switch {
	case last == nil:
		return nil
	case isFuture(last, now):
		return new(now.Rfc3339Copy())
	}
	return last.LastStepTime
}

// movedKeysPercent returns the percentage of keys that consistent hashing maps to another server after a change of the
// number of servers.
func movedKeysPercent(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	if high == 0 {
		return 0
	}
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}

// isFuture reports whether the time of a step is later than now, for example after a clock was set back. Such a time would
// delay the next step until then.
func isFuture(step *v1alpha1.ScalingStatus, now metav1.Time) bool {
	return step.LastStepTime != nil && step.LastStepTime.After(now.Time)
}
