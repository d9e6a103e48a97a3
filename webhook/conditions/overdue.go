package conditions

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

/*
What a parent waits for becomes a problem after a minute.

This check looks at how long a desired child or a pod has been missing, or a child has differed from the desired state. No object has
this time, so it follows from the times of the parent, of its workload and of its pods.
*/

// overduePeriod is how long a desired child or pod may be missing before that is a problem. Metacontroller and the workload
// controllers need about a second.
const overduePeriod = time.Minute

// ResyncPeriod is the time after which Metacontroller syncs a parent anyway: resyncPeriodSeconds in manifests/controllers.
const ResyncPeriod = 5 * time.Minute

func overdue(c checked) Finding {
	pending, since := c.pending, desiredSince(c.Input)
	if pending == nil {
		pending, since = missingPods(c.Input), Later(since, LastPodChange(c.Pods, c.Now))
	}
	if pending == nil {
		return Finding{}
	}
	missing := c.Now.Sub(since)
	if left := overduePeriod - missing; left > 0 {
		return Finding{Wait: min(left, overduePeriod)}
	}
	// No object changes when the cause disappears. Each sync creates all missing children again, so the time between two grows.
	return Finding{Problem: &Problem{Reason: pending.Reason, Message: pending.Message}, Wait: min(missing, ResyncPeriod)}
}

// desiredSince returns the earliest time since which the observed state may have differed from the desired state. It is the
// latest of these times: the parent became unready, its spec changed, its replicas changed by a step, its workload was
// created.
func desiredSince(in *Input) time.Time {
	ready, generation := meta.FindStatusCondition(in.Before.Conditions, api.Ready), in.Before.ObservedGeneration
	if ready == nil || ready.Status == metav1.ConditionTrue || 0 < generation && generation < in.Parent.GetGeneration() {
		return in.Now.Time
	}
	since := Later(ready.LastTransitionTime.Time, in.LastStep)
	for _, entry := range in.Parent.GetManagedFields() {
		if entry.Subresource != "status" && entry.Time != nil {
			since = Later(since, entry.Time.Time)
		}
	}
	if in.Workload != nil {
		since = Later(since, in.Workload.CreationTimestamp)
	}
	return since
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
