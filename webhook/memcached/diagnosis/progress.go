package diagnosis

import (
	"fmt"
	"math"
	"slices"
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
		Meaning: "The size is changing in steps. The message shows the next step: [In steps](change.md#in-steps)."})
	ReasonMoving = conditions.NewReason(conditions.SeverityProgress, conditions.Documentation{ID: "Moving", Parent: "Memcached",
		Meaning: "The size or the pods of a cache with proxies are changing. The message shows the phase: [Phases](change.md#phases). A warm-up takes at most `spec.proxy.warmup.maxSeconds`."})
)

// Progress returns the progress of a change; nil if there is none.
func Progress(f moves.Facts, d moves.Decision) *conditions.Progress {
	switch {
	case d.ProxyStatus != nil && !f.Proxies.Desired && d.Report.Until == nil: // a proxy may run
		return ReasonMoving.Progress("%s", strings.TrimSpace("The proxies are being removed. The servers stay unchanged until the last proxy has stopped. "+awaitedPod(d.Report.OverduePod)))
	case d.Report.Phase != "":
		return ReasonMoving.Progress("%s", moveMessage(f, d))
	case d.Scaling != nil && d.Scaling.Replicas != f.SizeAfterStep(d.Scaling.Replicas):
		from, next := d.Scaling.Replicas, f.SizeAfterStep(d.Scaling.Replicas)
		return ReasonScaling.Progress("Scaling in steps from %d to %d servers. The next step, to %d servers, starts at least %s after the previous step, and moves about %d%% of the keys with consistent hashing.",
			from, f.Size, next, durationText(f.Interval), movedKeysPercent(from, next))
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
	report := d.Report
	sentences := []string{"", fmt.Sprintf("Phase %s (%s): %s", report.Phase, purposeOf(report), explanation(f, report))}
	if !f.Proxies.Desired {
		sentences[0] = "Removing the proxies."
	}
	if report.Purpose() == v1alpha1.MoveToSpare {
		for _, ordinal := range report.Removed() {
			sentences = append(sentences, leavingServer(f, ordinal))
		}
	}
	sentences = append(sentences, nextPhase(f, d), awaitedPod(report.OverduePod))
	return strings.Join(slices.DeleteFunc(sentences, func(sentence string) bool { return sentence == "" }), " ")
}

// awaitedPod returns what to do about a pod that does not stop by itself; "" if there is none.
func awaitedPod(pod moves.Pod) string {
	switch {
	case pod.Name == "":
		return ""
	case pod.NodeLost:
		return fmt.Sprintf("The move is waiting for pod %s, which may still be running on an unreachable node. Switch the node off, and only then delete its Node object.", pod.Name)
	}
	return fmt.Sprintf("The move is waiting for pod %s, which has not stopped within its grace period. If its node is unreachable, switch the node off, and only then delete its Node object.", pod.Name)
}

// purposeOf returns what a move is for.
func purposeOf(report moves.Report) string {
	from, to := report.From.Slots.Count, report.To.Slots.Count
	switch purpose := report.Purpose(); {
	case report.Phase == v1alpha1.MoveRemovingServers:
		return fmt.Sprintf("keeping %d of %d servers", to, from)
	case purpose == v1alpha1.MoveToSpare:
		return "moving items from " + serversText(report.Removed(), "to a spare", "to spares")
	case purpose == v1alpha1.MoveReturn:
		return fromSpares(report)
	case purpose == v1alpha1.MoveReplace:
		return fmt.Sprintf("replacing %d servers with %d new servers to apply the new pod template", from, to)
	case from == to:
		return fmt.Sprintf("starting %d servers", to)
	}
	return fmt.Sprintf("resizing from %d to %d servers", from, to)
}

// serversText returns the ordinals of servers, and what follows one or several of them.
func serversText(ordinals []int32, one, several string) string {
	words := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		words[i] = strconv.Itoa(int(ordinal))
	}
	last := len(words) - 1
	if last < 1 {
		return "server " + strings.Join(words, "") + " " + one
	}
	return "servers " + strings.Join(words[:last], ", ") + " and " + words[last] + " " + several
}

// leavingServer returns why the items of a server move.
func leavingServer(f moves.Facts, ordinal int32) string {
	server, cause := f.Servers[ordinal], ""
	if server.DisruptionReason != "" {
		cause = " (" + server.DisruptionReason + ")"
	}
	switch {
	case server.NodeLost:
		return fmt.Sprintf("The node of pod %s is unreachable.", server.Name)
	case server.State == moves.ServerHolding:
		return fmt.Sprintf("Pod %s is being deleted%s and stops by %s.", server.Name, cause, server.GraceEnds.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("Server %d has stopped, or its grace period has expired.", ordinal)
}

// fromSpares describes a move back from spares.
func fromSpares(report moves.Report) string {
	var servers []int32
	for _, spare := range report.From.Spares() {
		if report.To.Has(spare.For) {
			servers = append(servers, spare.For)
		}
	}
	return "moving items back to " + serversText(servers, "from its spare", "from their spares")
}

// nextPhase returns what starts the next phase; "" if the explanation of the phase contains it.
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

// durationText returns a duration without units that are 0: 24h, not 24h0m0s.
func durationText(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

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
	return "If the cluster has no resources for the new pods, restore the previous spec: no item is lost."
}

// copyingProgress returns how far the Job is that copies items, and when the warm-up ends at the latest.
func copyingProgress(job *moves.ObservedJob, until string) string {
	switch {
	case job == nil:
		return fmt.Sprintf("The next phase starts after %s.", until)
	case job.Failed:
		return fmt.Sprintf("The Job that copies the items has failed, and the next phase starts after %s.", until)
	}
	return fmt.Sprintf("The Job has copied %d of %d servers. The next phase starts when all servers are copied, and by %s at the latest.", job.Done, job.Servers, until)
}
