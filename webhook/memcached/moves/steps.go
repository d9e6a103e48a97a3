package moves

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// SizeAfterStep returns the number of servers after one step towards the size. A step from 0 reaches the size, because there are no
// items to keep.
func (f Facts) SizeAfterStep(from int32) int32 {
	if from == 0 || f.MaxStep == 0 {
		return f.Size
	}
	return min(max(f.Size, from-f.MaxStep), from+f.MaxStep)
}

// lastStep returns when the last step of an object was: at the latest when the hook first observed this revision of the object. A new
// object has had no step.
func (f Facts) lastStep(revision v1alpha1.Revision) time.Time {
	recorded, last := f.Status.Scaling, f.Now
	switch {
	case recorded != nil && recorded.LastStepTime != nil && recorded.Observed.Equal(revision):
		last = recorded.LastStepTime.Time
	case revision.Number <= 1 && !revision.Created.IsZero():
		last = revision.Created.Time
	}
	if last.After(f.Now) { // a clock was set back
		return f.Now
	}
	return last
}

// untilStep returns the rest of the interval since the last step of an object.
func (f Facts) untilStep(revision v1alpha1.Revision) time.Duration {
	return min(max(seconds(f.lastStep(revision)).Add(f.Interval).Sub(f.Now), 0), f.Interval)
}

// stepStatus returns the status of steps of an object.
func (f Facts) stepStatus(revision v1alpha1.Revision, replicas int32) *v1alpha1.ScalingStatus {
	return &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: seconds(f.lastStep(revision)), Observed: revision}
}

// seconds returns a time as status has it, rounded up to seconds.
func seconds(t time.Time) *metav1.Time {
	return new(metav1.NewTime(t.Add(time.Second - time.Nanosecond).Truncate(time.Second)))
}
