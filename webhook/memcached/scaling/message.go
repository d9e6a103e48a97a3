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
	// ReasonMoving is the reason during a move.
	ReasonMoving = "Moving"
)

// Progress returns the reason and the message of a change that is under way; "" if there is none.
func (f Facts) Progress(d Decision) (reason, message string) {
	if d.Proxy != nil && d.Proxy.Move != nil {
		move, leaves := d.Proxy.Move, ""
		if !f.Proxies.Desired {
			leaves = "Removing the proxies. "
		}
		message = fmt.Sprintf("%s%s, phase %s: %s", leaves, f.describe(move, d.Routes), move.Phase, f.cause(move.Phase, d.Routes))
		if next := f.nextPhase(move, d); next != "" {
			message += " " + next
		}
		if d.Overdue != "" {
			message += fmt.Sprintf(" The move waits for pod %s, which is being deleted and has not stopped in its grace period. If its node is lost, delete the node.", d.Overdue)
		}
		return ReasonMoving, message
	}
	if d.Scaling == nil || d.Scaling.Replicas == f.step(d.Scaling.Replicas) {
		return "", ""
	}
	from, next := d.Scaling.Replicas, f.step(d.Scaling.Replicas)
	return ReasonScaling, fmt.Sprintf("Scaling in steps from %d to %d replicas. The next step, to %d, follows at least %s after the last step and moves about %d%% of the keys of clients with consistent hashing.",
		from, f.Size, next, f.Interval, movedKeysPercent(from, next))
}

// messages explain the phases to users.
var messages = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MoveCleaning:        "A Job deletes what earlier changes have left on the remaining servers, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "Servers are removed once no running proxy uses them.",
}

// cause returns what happens in a phase, or what Waiting waits for before the proxies use routes.
func (f Facts) cause(phase v1alpha1.MovePhase, routes Routes) string {
	switch {
	case phase == v1alpha1.MoveCleaning && !f.CanRunJob:
		return "The proxies are rolled out so that they expect the change."
	case phase != v1alpha1.MoveWaiting:
		return messages[phase]
	}
	switch c, w := f.change(), f.Workload; {
	case f.Predecessor:
		return "Servers of a deleted Memcached of the same name still serve its clients, and stop in seconds."
	case w == nil:
		return "The StatefulSet is not observed."
	case w.Current && !w.Observed:
		return "The StatefulSet controller has not observed the pod template yet."
	case routes != c.routes || !c.shown || !c.only(routes, routes):
		return "Proxies of an earlier phase are replaced first."
	case !c.settled():
		return "Not all proxies are available."
	}
	return "Removed servers with the names of the new ones have not stopped yet."
}

// RoomRemedy returns what to do if the cluster has no room for the servers or the proxies of a change of the pod template; "" if there is no
// such change, or it cannot be given up any more.
func (f Facts) RoomRemedy(d Decision) string {
	if f.Proxies.Warmup == 0 || !d.Routes.Replaces() || d.Routes.Phase != Announcing && d.Routes.Phase != Preparing {
		return ""
	}
	return "If the cluster has no room for the new pods, set spec.proxy.warmup.enabled to false: it replaces the pods in place, each within its grace period, and they start empty."
}

// nextPhase returns what the next phase waits for; "" if the phase itself says it.
func (f Facts) nextPhase(move *v1alpha1.MoveStatus, d Decision) string {
	job, warming := f.Job, move.Phase == v1alpha1.MoveWarmingUp
	if job != nil && job.For != d.Job.String() {
		job = nil
	}
	switch {
	case move.Until != nil && d.Routes.Phase == Announcing:
		return fmt.Sprintf("The change is not needed any more, and is given up after %s.", move.Until.UTC().Format(time.RFC3339))
	case move.Phase == v1alpha1.MoveCleaning, d.Job.Returns() && d.Routes.Phase == Announcing:
		return cleaned(job)
	case warming && move.Until == nil:
		return "The warm-up begins once all " + f.change().awaited(d.Routes) + "."
	case move.Until == nil:
		return f.RoomRemedy(d)
	case warming && !move.Until.After(f.Now):
		return "The next phase begins once all " + f.change().awaited(d.Routes) + "."
	case !move.Until.After(f.Now):
		return ""
	}
	return copied(job, move.Until.UTC().Format(time.RFC3339))
}

// awaited returns what a warm-up waits for.
func (c change) awaited(routes Routes) string {
	if routes == c.routes && c.settled() {
		return "new servers are ready"
	}
	return "proxies are available"
}

// cleaned returns how far the Job is that cleans servers; "" if there is none.
func cleaned(job *ObservedJob) string {
	switch {
	case job == nil:
		return ""
	case job.Failed:
		return "The Job has failed. The next phase begins once it is complete."
	}
	return fmt.Sprintf("%d of %d servers are cleaned.", job.Done, job.Servers)
}

// copied returns how far the Job is that copies items, and when the warm-up ends at the latest.
func copied(job *ObservedJob, until string) string {
	switch {
	case job == nil:
		return fmt.Sprintf("The next phase begins after %s.", until)
	case job.Failed:
		return fmt.Sprintf("The Job that copies the items has failed. The next phase begins after %s.", until)
	default:
		return fmt.Sprintf("%d of %d servers are copied. The next phase begins when all are, or after %s.", job.Done, job.Servers, until)
	}
}

// describe returns what a recorded move is for.
func (f Facts) describe(move *v1alpha1.MoveStatus, r Routes) string {
	switch {
	case move.Phase == v1alpha1.MoveRemovingServers:
		return fmt.Sprintf("Removing servers: %d of %d stay", move.To, move.From)
	case move.For == v1alpha1.MoveForSize && move.From == move.To:
		return fmt.Sprintf("Starting %d servers", move.To)
	case move.For == v1alpha1.MoveForSize:
		return fmt.Sprintf("Resizing from %d to %d servers", move.From, move.To)
	case move.For == v1alpha1.MoveForStop:
		if r.Phase == Steady {
			r.To = f.change().target(r.From)
		}
		return f.stop(r.To.Absent())
	case move.For == v1alpha1.MoveForReturn:
		return fmt.Sprintf("Moving items back from the spare to server %d, which starts again", r.From.Absent())
	}
	return fmt.Sprintf("Replacing %d servers with %d that have the new pod template", move.From, move.To)
}

// stop describes a move from a server that is being deleted to the spare.
func (f Facts) stop(ordinal int32) string {
	server := f.Servers[ordinal]
	if !f.holdsOn(ordinal) {
		return fmt.Sprintf("Moving the keys of server %d, which has stopped or whose grace period is over, to a spare", ordinal)
	}
	cause := ""
	if server.Why != "" {
		cause = " (" + server.Why + ")"
	}
	return fmt.Sprintf("Moving the items of pod %s to a spare, because it is being deleted%s and serves until %s at the latest",
		server.Name, cause, server.Deleted.UTC().Format(time.RFC3339))
}

// movedKeysPercent returns the percentage of keys that consistent hashing maps to another server after a change of the
// number of servers.
func movedKeysPercent(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}
