package moves

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// direct returns the decision for servers without proxies: steps towards the size. They begin where they are observed, and a change of the
// pod template replaces them in place.
func (f Facts) direct() Decision {
	d := Decision{Run: Range{f.existing().First, f.Size}}
	if f.MaxStep == 0 {
		return d
	}
	if f.Workload == nil {
		d.Scaling = f.stepStatus(v1alpha1.Revision{}, f.Size)
		return d
	}
	revision, existing := f.Workload.Revision, min(f.Workload.Run.Count, MaxServers)
	d.Run.Count = existing
	d.Scaling = f.stepStatus(revision, existing)
	left := f.untilStep(revision)
	switch recorded, next := f.Status.Scaling, f.Step(existing); {
	case recorded != nil && recorded.Observed.Equal(revision) && recorded.Replicas == next: // not applied, or not observed yet
		d.Run.Count, d.Scaling.Replicas = next, next
	case existing != f.Size && (left == 0 || existing == 0) && (f.Size < existing || f.Workload.Available >= existing):
		d.Run.Count, d.Scaling.Replicas, d.Scaling.LastStepTime = next, next, seconds(f.Now)
		left = f.Interval
	}
	if d.Run.Count != f.Size {
		d.Wait = left
	}
	return d
}

// Step returns the number of servers after one step towards the size. A step from 0 reaches the size, because there are no
// items to keep.
func (f Facts) Step(from int32) int32 {
	if from == 0 || f.MaxStep == 0 {
		return f.Size
	}
	return min(max(f.Size, from-f.MaxStep), from+f.MaxStep)
}

// lastStep returns when the last step of an object was: at the latest when the hook first observed this revision of the object. A new object has
// had no step.
func (f Facts) lastStep(revision v1alpha1.Revision) time.Time {
	recorded, last := f.Status.Scaling, f.Now
	switch {
	case recorded != nil && recorded.LastStepTime != nil && recorded.Observed.Equal(revision):
		last = recorded.LastStepTime.Time
	case revision.Generation <= 1 && !revision.Created.IsZero():
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
