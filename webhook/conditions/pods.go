package conditions

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

const (
	// recentPeriod is how long after a restart of a container its previous termination is still reported.
	recentPeriod = 10 * time.Minute
	// maxClockSkew is how far the clock of a node may be ahead of ours. Later times are ignored.
	maxClockSkew = time.Minute
)

// Remedies maps the names of containers to what to do when they do not run.
type Remedies map[string]Remedy

// Remedy is what to do about a container that does not run. Its texts are parts of sentences, without a full stop.
type Remedy struct {
	// OOMKilled names the field to increase.
	OOMKilled string
	// Credentials is what to do if the registry of the image wants credentials.
	Credentials string
	// ExitCodes explains the exit codes of the program.
	ExitCodes map[int32]string
	// Reports marks a program that exits to report something, which the parent's own rules read.
	Reports bool
}

// failingPods returns the problem of the first pod that has one. Its message has no counters and no back-off times, because
// these differ at every sync.
func failingPods(c checked) Finding {
	var first Finding
	for _, pod := range c.Pods {
		found := diagnosePod(c.Input, pod)
		first.Wait = Soonest(first.Wait, found.Wait)
		switch problem := found.Problem; {
		case problem == nil:
		case first.Problem == nil:
			first.Problem = &Problem{Reason: problem.Reason, Message: podMessage(pod, problem.Message)}
		case problem.Reason == first.Problem.Reason:
			first.Problem.others = true
		}
	}
	return first
}

func diagnosePod(in *Input, pod *observed.Pod) Finding {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return unschedulable(pod, condition, in.Claim, in.Now)
		}
	}
	var found Finding
	for _, statuses := range [][]observed.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			container := &statuses[i]
			end, wait := lastEnd(in, container)
			describe := describerOf(in, container, end)
			if describe == nil {
				continue
			}
			if found.Problem == nil { // a text takes longer than all else
				found.Problem = describe(in, container, end)
			}
			if container.State.Waiting == nil {
				found.Wait = Soonest(found.Wait, wait)
			}
		}
	}
	return found
}

// lastEnd returns the termination that explains what is wrong with a container, nil if none does. When a restarted container is not ready, its previous
// termination explains why for recentPeriod, and lastEnd returns the rest of it.
func lastEnd(in *Input, container *observed.ContainerStatus) (end *observed.ContainerTerminated, wait time.Duration) {
	end = container.State.Terminated
	switch running := !container.State.Running.StartedAt.IsZero(); {
	case end != nil || container.Ready:
	case !running:
		end = container.LastState.Terminated
	case recent(container.State.Running.StartedAt, in.Now) > 0:
		return container.LastState.Terminated, recent(container.State.Running.StartedAt, in.Now)
	}
	return end, 0
}

// describer returns the problem of a container; end is its last termination.
type describer func(in *Input, container *observed.ContainerStatus, end *observed.ContainerTerminated) *Problem

// describerOf returns what describes the problem of a container, nil if it has none; end is its last termination, nil if that does not matter.
func describerOf(in *Input, container *observed.ContainerStatus, end *observed.ContainerTerminated) describer {
	waiting := container.State.Waiting
	switch {
	case end != nil && end.Reason == oomKilled:
		return outOfMemory
	case in.Remedies[container.Name].Reports && (waiting == nil || waiting.Reason == CrashLoopBackOff):
		return nil
	case waiting != nil && waiting.Reason == CrashLoopBackOff && end != nil:
		return crashed
	case waiting != nil && isPull(waiting):
		return notPulled
	case waiting.Fails():
		return notStarted
	case waiting == nil && end != nil && end.ExitCode != 0:
		return crashed
	}
	return nil
}

// recent returns for how much longer a time counts as recent; 0 if the time is not recent.
func recent(then time.Time, now metav1.Time) time.Duration {
	age := now.Sub(then)
	if age < -maxClockSkew {
		return 0
	}
	return max(recentPeriod-max(age, 0), 0)
}

func podMessage(pod *observed.Pod, message string) string { return "Pod " + pod.Name + ": " + message }
