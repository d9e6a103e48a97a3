package scaling

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// direct returns the decision for servers of a set without proxies: steps towards the size. The other set is not needed any more.
func (s State) direct(set Set) Plan {
	p := Plan{InUse: set}
	servers := &p.Sets[set]
	servers.Exists, servers.Replicas = true, s.Size
	if s.MaxStep == 0 {
		return p
	}
	workload := s.Sets[set].Workload
	if workload == nil {
		p.Scaling = s.record(v1alpha1.Revision{}, s.Size)
		return p
	}
	revision, existing := workload.Revision, min(workload.Replicas, MaxServers)
	servers.Replicas = existing
	p.Scaling = s.record(revision, existing)
	left := s.untilStep(p.Scaling)
	switch recorded, next := s.Status.Scaling, s.step(existing); {
	case recorded != nil && recorded.Observed.Equal(revision) && recorded.Replicas == next: // not applied, or not observed yet
		servers.Replicas, p.Scaling.Replicas = next, next
	case existing != s.Size && (left == 0 || existing == 0) && (s.Size < existing || workload.Available >= existing):
		servers.Replicas, p.Scaling.Replicas, p.Scaling.LastStepTime = next, next, seconds(s.Now)
		left = s.Interval
	}
	if servers.Replicas != s.Size {
		p.Wait = left
	}
	return p
}

// step returns the number of servers after one step towards the size. A step from 0 reaches the size, because there are no
// items to keep.
func (s State) step(from int32) int32 {
	if from == 0 || s.MaxStep == 0 {
		return s.Size
	}
	return min(max(s.Size, from-s.MaxStep), from+s.MaxStep)
}

// record returns the status of steps of an object. The last step was at the latest when the hook first observed this revision
// of the object. A new object has had no step.
func (s State) record(revision v1alpha1.Revision, replicas int32) *v1alpha1.ScalingStatus {
	recorded, since := s.Status.Scaling, s.Now
	switch {
	case recorded != nil && recorded.LastStepTime != nil && recorded.Observed.Equal(revision):
		since = recorded.LastStepTime.Time
	case revision.Generation <= 1 && !revision.Created.IsZero():
		since = revision.Created.Time
	}
	if since.After(s.Now) { // a clock was set back
		since = s.Now
	}
	return &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: seconds(since), Observed: revision}
}

// untilStep returns the rest of the interval since the last step.
func (s State) untilStep(last *v1alpha1.ScalingStatus) time.Duration {
	if last == nil || last.LastStepTime == nil {
		return 0
	}
	return min(max(last.LastStepTime.Add(s.Interval).Sub(s.Now), 0), s.Interval)
}

// seconds returns a time as status has it, rounded up to seconds.
func seconds(t time.Time) *metav1.Time {
	return new(metav1.NewTime(t.Add(time.Second - time.Nanosecond).Truncate(time.Second)))
}
