package scaling

import (
	"fmt"
	"math"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The reasons of Progressing during a change of size.
const (
	// ReasonScaling is the reason while a change in several steps waits for the next step.
	ReasonScaling = "Scaling"
	// ReasonResizing is the reason during a change with proxies.
	ReasonResizing = "Resizing"
)

// Progress returns the reason and the message of a change that is under way; "" if there is none.
func (s State) Progress(p Plan) (reason, message string) {
	if p.Proxy != nil && p.Proxy.Resize != nil && (p.Proxy.Resize.Replaces || p.Proxy.Resize.From != p.Proxy.Resize.To) {
		r := p.Proxy.Resize
		message = fmt.Sprintf("%s, phase %s: %s", describe(r), r.Phase, messages[r.Phase])
		if next := s.nextPhase(r, p); next != "" {
			message += " " + next
		}
		if p.Overdue != "" {
			message += fmt.Sprintf(" The change waits for pod %s, which is being deleted and has not stopped in its grace period. If its node is lost, delete the node.", p.Overdue)
		}
		return ReasonResizing, message
	}
	if p.Scaling == nil || p.Scaling.Replicas == s.step(p.Scaling.Replicas) {
		return "", ""
	}
	from, next := p.Scaling.Replicas, s.step(p.Scaling.Replicas)
	return ReasonScaling, fmt.Sprintf("Scaling in steps from %d to %d replicas. The next step, to %d, follows at least %s after the last step and moves about %d%% of the keys of clients with consistent hashing.",
		from, s.Size, next, s.Interval, movedKeysPercent(from, next))
}

// RoomRemedy returns what to do if the cluster has no room for the servers or the proxies of a change of the pod template; "" if there is no
// such change, or it cannot be given up any more.
func (s State) RoomRemedy(p Plan) string {
	if !s.Warm || !p.Routes.moves() || p.Routes.Phase != Announcing && p.Routes.Phase != Preparing {
		return ""
	}
	return "If the cluster has no room for the new pods, set spec.proxy.warmup.enabled to false: it replaces the pods in place, and they start empty."
}

// nextPhase returns what the next phase waits for; "" if the phase itself says it.
func (s State) nextPhase(r *v1alpha1.ResizeStatus, p Plan) string {
	job, warming := s.Copy, r.Phase == v1alpha1.ResizeWarmingUp
	if job != nil && job.For != p.Copy.String() {
		job = nil
	}
	switch {
	case r.Until != nil && p.Routes.Phase == Announcing:
		return fmt.Sprintf("The spec has changed, so this change is given up after %s.", r.Until.UTC().Format(time.RFC3339))
	case r.Phase == v1alpha1.ResizeCleaning:
		return cleaned(job)
	case warming && r.Until == nil:
		return "The warm-up begins once all proxies and new servers are ready."
	case r.Until == nil:
		return s.RoomRemedy(p)
	case warming && !r.Until.After(s.Now):
		return "The next phase begins once all proxies and new servers are ready."
	}
	return copied(job, r.Until.UTC().Format(time.RFC3339))
}

// cleaned returns how far the Job is that cleans servers; "" if there is none.
func cleaned(job *Copy) string {
	switch {
	case job == nil:
		return ""
	case job.Failed:
		return "The Job has failed. The next phase begins once it is complete."
	}
	return fmt.Sprintf("%d of %d servers are cleaned.", job.Copied, job.Servers)
}

// copied returns how far the Job is that copies items, and when the warm-up ends at the latest.
func copied(job *Copy, until string) string {
	switch {
	case job == nil:
		return fmt.Sprintf("The next phase begins after %s.", until)
	case job.Failed:
		return fmt.Sprintf("The Job that copies the items has failed. The next phase begins after %s.", until)
	default:
		return fmt.Sprintf("%d of %d servers are copied. The next phase begins when all are, or after %s.", job.Copied, job.Servers, until)
	}
}

// describe returns what a recorded phase is for.
func describe(r *v1alpha1.ResizeStatus) string {
	switch {
	case !r.Replaces:
		return fmt.Sprintf("Resizing from %d to %d servers", r.From, r.To)
	case r.Phase == v1alpha1.ResizeRemovingServers:
		return fmt.Sprintf("Removing the %d servers of the StatefulSet that is not in use", r.From)
	}
	return fmt.Sprintf("Replacing %d servers with %d that have the new pod template", r.From, r.To)
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
