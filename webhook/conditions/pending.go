package conditions

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/merge"
)

// ReasonOrphaned means that a former parent of the same name left the workload and its pods behind.
const ReasonOrphaned = "Orphaned"

// overduePeriod is how long a desired child or pod may be missing before that is a problem. Metacontroller and the workload
// controllers need about a second.
const overduePeriod = time.Minute

// observedChild is a child of any kind.
type observedChild interface {
	merge.Observed
	Terminating() bool
}

// pendingChild returns the first desired child that is missing or differs from the desired state; nil when there is none.
func pendingChild(o *Observation) (*Problem, error) {
	if o.Workload == nil && len(o.Pods) > 0 && len(o.Children) > 0 {
		return orphaned(o), nil
	}
	for _, desired := range o.Children {
		problem, err := compareChild(desired, o.Observed(desired))
		if problem != nil || err != nil {
			return problem, err
		}
	}
	return nil, nil
}

// orphaned returns the problem of a parent that has pods but no workload: a former parent of the same name left them behind.
// Metacontroller sends only the objects that the parent owns, and those whose label controller-uid has the parent's UID, which it
// adopts.
func orphaned(o *Observation) *Problem {
	var objects []string
	for _, object := range o.Children {
		objects = append(objects, strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind)+"/"+object.(metav1.Object).GetName())
	}
	return &Problem{Reason: ReasonOrphaned, Message: fmt.Sprintf(
		"%s %s has pods, but does not belong to this resource. To take it over with its pods, run: "+
			"kubectl label --overwrite -n %s %s controller-uid=%s",
		o.Children[0].GetObjectKind().GroupVersionKind().Kind, o.Children[0].(metav1.Object).GetName(),
		o.Parent.GetNamespace(), strings.Join(objects, " "), o.Parent.GetUID())}
}

// adoption returns a finding only if a former parent left the workload behind. Its message has all children, those of the pods
// in front too, so that one command adopts them.
func adoption(late Finding) Finding {
	if late.Problem == nil || late.Problem.Reason != ReasonOrphaned {
		return Finding{}
	}
	return late
}

// compareChild compares one child. The reason begins with the kind: ServiceMissing, NetworkPolicyOutdated.
func compareChild(desired runtime.Object, view any) (*Problem, error) {
	kind, name := desired.GetObjectKind().GroupVersionKind().Kind, desired.(metav1.Object).GetName()
	present, found := view.(observedChild)
	if !found {
		return &Problem{Reason: kind + "Missing", Message: fmt.Sprintf(
			"%s %s does not exist, or belongs to another owner. Check the Events of this resource.", kind, name)}, nil
	}
	if present.Terminating() {
		return &Problem{Reason: kind + "Missing", Message: fmt.Sprintf("%s %s is being deleted. Metacontroller creates it again afterwards.", kind, name)}, nil
	}
	field, err := merge.Difference(desired, present)
	if err != nil {
		return nil, fmt.Errorf("comparing %s %s: %w", kind, name, err)
	}
	if field == "" {
		return nil, nil
	}
	return &Problem{Reason: kind + "Outdated", Message: fmt.Sprintf(
		"%s %s differs from the desired state in %s. Check the Events of this resource.", kind, name, field)}, nil
}

// overdue returns the child or the pods that have been missing for longer than overduePeriod.
func overdue(o *Observation, pending *Problem) Finding {
	if pending == nil {
		pending = missingPods(o)
	}
	if pending == nil {
		return Finding{}
	}
	if left := overduePeriod - o.Now.Sub(desiredSince(o)); left > 0 {
		return Finding{Wait: min(left, overduePeriod)}
	}
	// No object changes when the cause disappears, and Metacontroller retries at increasing intervals.
	return Finding{Problem: &Problem{Reason: pending.Reason, Message: pending.Message, Stalled: true}, Wait: overduePeriod}
}

// desiredSince returns the earliest time since which the observed state may have differed from the desired state. It is the
// latest of these times: the parent became unready, its spec changed, its replicas changed by a step, its workload was
// created.
func desiredSince(o *Observation) time.Time {
	ready := meta.FindStatusCondition(o.Before.Conditions, api.Ready)
	if ready == nil || ready.Status == metav1.ConditionTrue || o.Before.ObservedGeneration < o.Parent.GetGeneration() && o.Before.ObservedGeneration > 0 {
		return o.Now.Time
	}
	since := later(ready.LastTransitionTime.Time, o.LastStep)
	for _, entry := range o.Parent.GetManagedFields() {
		if entry.Subresource != "status" && entry.Time != nil {
			since = later(since, entry.Time.Time)
		}
	}
	if o.Workload != nil {
		since = later(since, o.Workload.CreationTimestamp)
	}
	return since
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
