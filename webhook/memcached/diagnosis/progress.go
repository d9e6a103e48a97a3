package diagnosis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
A change of size or of the pods takes several steps or phases.

The progress follows from the decision. Its message stays the same during a step or a phase.
*/

// The reasons of a change.
var (
	ReasonScaling = conditions.NewReason(conditions.SeverityProgress, conditions.Documentation{ID: "Scaling", Parent: "Memcached",
		Meaning: "The size changes in steps. The message shows the next step: [In steps](change.md#in-steps)."})
	ReasonMoving = conditions.NewReason(conditions.SeverityProgress, conditions.Documentation{ID: "Moving", Parent: "Memcached",
		Meaning: "The size or the pods of a cache with proxies change. The message shows the phase: [Phases](change.md#phases). A warm-up takes at most `spec.proxy.warmup.maxSeconds`."})
)

// Progress returns the progress of a change; nil if there is none.
func Progress(f moves.Facts, d moves.Decision) *conditions.Progress {
	switch {
	case d.Report.Phase != "":
		return ReasonMoving.Progress("%s", moveMessage(f, d))
	case d.Scaling != nil && d.Scaling.Replicas != f.SizeAfterStep(d.Scaling.Replicas):
		from, next := d.Scaling.Replicas, f.SizeAfterStep(d.Scaling.Replicas)
		return ReasonScaling.Progress("Scaling in steps from %d to %d replicas. The next step, to %d, starts no sooner than %s after the last step, and moves about %d%% of the keys with consistent hashing.",
			from, f.Size, next, f.Interval, movedKeysPercent(from, next))
	case d.ProxyStatus != nil && !f.Proxies.Desired:
		return ReasonMoving.Progress("The proxies are being removed. The servers stay unchanged until the last proxy has stopped.")
	}
	return nil
}

// movedKeysPercent returns the percentage of keys that consistent hashing maps to another server after a change of the
// number of servers.
func movedKeysPercent(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}

// moveMessage returns the message of a move.
func moveMessage(f moves.Facts, d moves.Decision) string {
	leaves := ""
	if !f.Proxies.Desired {
		leaves = "Removing the proxies. "
	}
	message := fmt.Sprintf("%s%s, phase %s: %s", leaves, purposeOf(f, d.Report), d.Report.Phase, explanation(f, d.Report))
	if next := nextPhase(f, d); next != "" {
		message += " " + next
	}
	return message + awaitedPod(d.Report.OverduePod)
}

// awaitedPod returns what ends the wait for a pod that does not end by itself; "" if there is none.
func awaitedPod(pod moves.Pod) string {
	switch {
	case pod.Name == "":
		return ""
	case pod.NodeLost:
		return fmt.Sprintf(" The move waits for pod %s, which may still run on an unreachable node. Switch the node off, and only then delete its Node object.", pod.Name)
	}
	return fmt.Sprintf(" The move waits for pod %s, which has not stopped within its grace period. If its node is unreachable, switch the node off, and only then delete its Node object.", pod.Name)
}

// purposeOf returns what a move is for.
func purposeOf(f moves.Facts, report moves.Report) string {
	from, to := report.From.Slots.Count, report.To.Slots.Count
	switch purpose := report.Purpose(); {
	case report.Phase == v1alpha1.MoveRemovingServers:
		return fmt.Sprintf("Removing servers: %d of %d remain", to, from)
	case purpose == v1alpha1.MoveToSpare:
		return toSpares(f, report)
	case purpose == v1alpha1.MoveReturn:
		return fromSpares(report)
	case purpose == v1alpha1.MoveReplace:
		return fmt.Sprintf("Replacing %d servers with %d new servers that use the new pod template", from, to)
	case from == to:
		return fmt.Sprintf("Starting %d servers", to)
	}
	return fmt.Sprintf("Resizing from %d to %d servers", from, to)
}

// toSpares describes a move from servers that leave to spares.
func toSpares(f moves.Facts, report moves.Report) string {
	var leaving []string
	for _, ordinal := range report.Removed() {
		leaving = append(leaving, leavingServer(f, ordinal))
	}
	if len(leaving) == 1 {
		return "Moving items to a spare from " + leaving[0]
	}
	return fmt.Sprintf("Moving the items of %d servers to spares: %s", len(leaving), strings.Join(leaving, "; "))
}

// leavingServer describes a server and why its items move.
func leavingServer(f moves.Facts, ordinal int32) string {
	server, cause := f.Servers[ordinal], ""
	if server.DisruptionReason != "" {
		cause = " (" + server.DisruptionReason + ")"
	}
	switch {
	case server.NodeLost:
		return fmt.Sprintf("pod %s, whose node is unreachable", server.Name)
	case server.State == moves.ServerHolding:
		return fmt.Sprintf("pod %s, which is being deleted%s and stops at %s at the latest", server.Name, cause, server.GraceEnds.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("server %d, which has stopped or whose grace period has expired", ordinal)
}

// fromSpares describes a move back from spares.
func fromSpares(report moves.Report) string {
	var servers []string
	for _, spare := range report.From.Spares() {
		if report.To.Has(spare.For) {
			servers = append(servers, strconv.Itoa(int(spare.For)))
		}
	}
	if len(servers) == 1 {
		return fmt.Sprintf("Moving items back from the spare to server %s, which is starting again", servers[0])
	}
	return fmt.Sprintf("Moving items back from spares to servers %s, which are starting again", strings.Join(servers[:len(servers)-1], ", ")+" and "+servers[len(servers)-1])
}

// nextPhase returns what the next phase waits for; "" if the phase itself says it.
func nextPhase(f moves.Facts, d moves.Decision) string {
	report, job, announcing := d.Report, f.Job, d.Routes.Phase == moves.Announcing
	if job != nil && job.For != d.Job {
		job = nil
	}
	switch {
	case announcing && report.Until != nil:
		return fmt.Sprintf("The change is no longer needed and will be cancelled at %s.", timeText(report.Until))
	case announcing && d.Job != (moves.DesiredJob{}):
		return cleaningProgress(job)
	case report.Phase == v1alpha1.MoveWarmingUp:
		return warmUpProgress(f, report, job)
	case report.Until != nil && report.Until.After(f.Now):
		return fmt.Sprintf("The next phase starts after %s.", timeText(report.Until))
	}
	return RoomRemedy(f, d)
}

func timeText(t *metav1.Time) string { return t.UTC().Format(time.RFC3339) }

// warmUpProgress returns what begins and ends a warm-up.
func warmUpProgress(f moves.Facts, report moves.Report, job *moves.ObservedJob) string {
	awaited := "proxies are available"
	if report.RolloutEnded {
		awaited = "new servers are ready"
	}
	switch {
	case report.Until == nil:
		return "The warm-up starts once all " + awaited + "."
	case !report.Until.After(f.Now):
		return "The next phase starts once all " + awaited + "."
	}
	return copyingProgress(job, timeText(report.Until))
}

// cleaningProgress returns how far the Job is that cleans servers; "" if there is none.
func cleaningProgress(job *moves.ObservedJob) string {
	switch {
	case job == nil:
		return ""
	case job.Failed:
		return "The Job has failed, and the next phase starts only after a Job succeeds."
	}
	return fmt.Sprintf("The Job has cleaned %d of %d servers.", job.Done, job.Servers)
}

// RoomRemedy returns what to do if the cluster has no room for the servers or the proxies of a change of the pod template; "" if there is
// no such change, or it cannot be given up any more.
func RoomRemedy(f moves.Facts, d moves.Decision) string {
	if f.Proxies.Warmup == 0 || !d.Routes.Replaces() || !d.Routes.CanGiveUp() {
		return ""
	}
	return "If the cluster has no resources for the new pods, set spec.proxy.warmup.enabled to false to replace the pods one by one with empty ones."
}

// copyingProgress returns how far the Job is that copies items, and when the warm-up ends at the latest.
func copyingProgress(job *moves.ObservedJob, until string) string {
	switch {
	case job == nil:
		return fmt.Sprintf("The next phase starts after %s.", until)
	case job.Failed:
		return fmt.Sprintf("The Job that copies the items has failed, and the next phase starts after %s.", until)
	}
	return fmt.Sprintf("The Job has copied %d of %d servers, and the next phase starts when all servers are copied, or at %s at the latest.", job.Done, job.Servers, until)
}
