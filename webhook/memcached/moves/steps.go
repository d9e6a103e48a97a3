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
	left := f.untilStep(d.Scaling)
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

// stepStatus returns the status of steps of an object. The last step was at the latest when the hook first observed this revision
// of the object. A new object has had no step.
func (f Facts) stepStatus(revision v1alpha1.Revision, replicas int32) *v1alpha1.ScalingStatus {
	recorded, since := f.Status.Scaling, f.Now
	switch {
	case recorded != nil && recorded.LastStepTime != nil && recorded.Observed.Equal(revision):
		since = recorded.LastStepTime.Time
	case revision.Generation <= 1 && !revision.Created.IsZero():
		since = revision.Created.Time
	}
	if since.After(f.Now) { // a clock was set back
		since = f.Now
	}
	return &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: seconds(since), Observed: revision}
}

// untilStep returns the rest of the interval since the last step.
func (f Facts) untilStep(last *v1alpha1.ScalingStatus) time.Duration {
	return min(max(last.LastStepTime.Add(f.Interval).Sub(f.Now), 0), f.Interval)
}

// seconds returns a time as status has it, rounded up to seconds.
func seconds(t time.Time) *metav1.Time {
	return new(metav1.NewTime(t.Add(time.Second - time.Nanosecond).Truncate(time.Second)))
}
