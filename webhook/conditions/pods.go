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
		for _, container := range statuses {
			found = Merge(found, diagnoseContainer(in, container))
		}
	}
	return found
}

// diagnoseContainer returns what is wrong with a container. When a restarted container is not ready, its previous
// termination explains why for recentPeriod.
func diagnoseContainer(in *Input, container observed.ContainerStatus) Finding {
	end, wait := container.State.Terminated, time.Duration(0)
	switch running := !container.State.Running.StartedAt.IsZero(); {
	case end != nil || container.Ready:
	case !running:
		end = container.LastState.Terminated
	case recent(container.State.Running.StartedAt, in.Now) > 0:
		end = container.LastState.Terminated
		wait = recent(container.State.Running.StartedAt, in.Now)
	}
	problem := containerProblem(in, container, end)
	if problem == nil || container.State.Waiting != nil {
		wait = 0
	}
	return Finding{Problem: problem, Wait: wait}
}

// containerProblem returns the problem of a container; end is its last termination, nil if that does not matter.
func containerProblem(in *Input, container observed.ContainerStatus, end *observed.ContainerTerminated) *Problem {
	waiting, remedy := container.State.Waiting, in.Remedies[container.Name]
	switch {
	case end != nil && end.Reason == oomKilled:
		return outOfMemory(in, container)
	case remedy.Reports && (waiting == nil || waiting.Reason == CrashLoopBackOff):
		return nil
	case waiting != nil && waiting.Reason == CrashLoopBackOff && end != nil:
		return crashed(container, end, remedy)
	case waiting != nil && isPull(waiting):
		return notPulled(container, remedy)
	case waiting != nil:
		return notStarted(container)
	case end != nil && end.ExitCode != 0:
		return crashed(container, end, remedy)
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
