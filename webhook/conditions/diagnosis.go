package conditions

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a [Problem] of a pod, besides those that the kubelet gives for a container that waits.
const (
	ReasonImagePullBackOff = "ImagePullBackOff"
	ReasonCrashLoopBackOff = "CrashLoopBackOff"
	ReasonOOMKilled        = "OOMKilled"
	ReasonUnschedulable    = "Unschedulable"
)

const (
	// recentPeriod is how long after a container was restarted its previous end still explains something.
	recentPeriod = 10 * time.Minute
	// maxClockSkew is how far the clock of a node may be ahead of ours. A time beyond that does not say when something
	// happened.
	maxClockSkew = time.Minute
	// maxLine is the largest part of a program's log that a message quotes, in bytes.
	maxLine = 300
)

// Problem is what is wrong with a parent, in the words that a person needs to fix it.
type Problem struct {
	Reason  string
	Message string
	// Stalled reports that nothing progresses until somebody acts.
	Stalled bool
}

// Finding is the result of one rule of diagnosis. Problem is nil when the rule finds nothing.
type Finding struct {
	Problem *Problem
	// Wait is the time after which the result may differ although no object changed; 0 when there is no such time.
	Wait time.Duration
}

// First returns the first problem, and the shortest time to wait of all findings.
func First(findings ...Finding) Finding {
	var first Finding
	for _, finding := range findings {
		if first.Problem == nil {
			first.Problem = finding.Problem
		}
		first.Wait = Soonest(first.Wait, finding.Wait)
	}
	return first
}

// Soonest returns the shortest of several times to wait; 0 is no time to wait.
func Soonest(waits ...time.Duration) time.Duration {
	shortest := time.Duration(0)
	for _, wait := range waits {
		if wait > 0 && (shortest == 0 || wait < shortest) {
			shortest = wait
		}
	}
	return shortest
}

// Remedies are what to do about the containers of a parent's pods, by the containers' names.
type Remedies map[string]Remedy

// Remedy holds what only the parent's own package knows: what to do about a reason or an exit code.
type Remedy struct {
	// OOMKilled names the field to increase.
	OOMKilled string
	// ExitCodes explains the exit codes of the program.
	ExitCodes map[int32]string
	// Reports marks a program that exits to report something, which the parent's own rules read.
	Reports bool
}

// diagnosePods returns what is wrong with the pods: the problem of the first pod that has one.
//
// A message must not change from sync to sync while the cause is the same. So it has no counters and no back-off times.
func diagnosePods(pods []*observed.Pod, remedies Remedies, now metav1.Time) Finding {
	var first Finding
	alike := 0
	for _, pod := range pods {
		found := diagnosePod(pod, remedies, now)
		first.Wait = Soonest(first.Wait, found.Wait)
		switch problem := found.Problem; {
		case problem == nil:
		case first.Problem == nil:
			first.Problem = &Problem{Reason: problem.Reason, Message: fmt.Sprintf("pod %s: %s", pod.Name, problem.Message)}
		case problem.Reason == first.Problem.Reason:
			alike++
		}
	}
	if alike > 0 {
		first.Problem.Message += fmt.Sprintf(" (%d more pods have the same problem)", alike)
	}
	return first
}

func diagnosePod(pod *observed.Pod, remedies Remedies, now metav1.Time) Finding {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return Finding{Problem: &Problem{Reason: ReasonUnschedulable, Message: "no node accepts it: " + condition.Message}}
		}
	}
	var first Finding
	for _, statuses := range [][]observed.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, container := range statuses {
			first = First(first, diagnoseContainer(container, remedies[container.Name], now))
		}
	}
	return first
}

// diagnoseContainer returns what is wrong with a container now. The previous end of a container that runs again explains
// only for a while why it is not ready.
func diagnoseContainer(container observed.ContainerStatus, remedy Remedy, now metav1.Time) Finding {
	end, wait := container.State.Terminated, time.Duration(0)
	switch running := !container.State.Running.StartedAt.IsZero(); {
	case end != nil || container.Ready:
	case !running:
		end = container.LastState.Terminated
	case recent(container.State.Running.StartedAt, now) > 0:
		end = container.LastState.Terminated
		wait = recent(container.State.Running.StartedAt, now)
	}
	problem := containerProblem(container, end, remedy)
	if problem == nil || container.State.Waiting != nil {
		wait = 0
	}
	return Finding{Problem: problem, Wait: wait}
}

// recent returns how long a time still counts as recent; 0 when it does not.
func recent(then time.Time, now metav1.Time) time.Duration {
	age := now.Sub(then)
	if age < -maxClockSkew {
		return 0
	}
	return max(recentPeriod-max(age, 0), 0)
}

func containerProblem(container observed.ContainerStatus, end *observed.ContainerTerminated, remedy Remedy) *Problem {
	waiting := container.State.Waiting
	switch {
	case end != nil && end.Reason == ReasonOOMKilled:
		return outOfMemory(container.Name, remedy)
	case remedy.Reports && (waiting == nil || waiting.Reason == ReasonCrashLoopBackOff):
		return nil
	case waiting != nil:
		return diagnoseWaiting(container, end, remedy)
	case end != nil && end.ExitCode != 0:
		return crashed(container, end, remedy)
	}
	return nil
}

func outOfMemory(container string, remedy Remedy) *Problem {
	return &Problem{Reason: ReasonOOMKilled, Message: joinSentence(
		"container "+container+" was killed because it used more memory than its limit", remedy.OOMKilled)}
}

func diagnoseWaiting(container observed.ContainerStatus, end *observed.ContainerTerminated, remedy Remedy) *Problem {
	waiting := container.State.Waiting
	switch waiting.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return nil
	case ReasonImagePullBackOff, "ErrImagePull", "RegistryUnavailable", "SignatureValidationFailed":
		return &Problem{
			Reason:  ReasonImagePullBackOff,
			Message: fmt.Sprintf("image %q cannot be pulled: %s", container.Image, registryMessage(waiting.Message)),
		}
	case ReasonCrashLoopBackOff:
		if end != nil {
			return crashed(container, end, remedy)
		}
	}
	return &Problem{Reason: waiting.Reason, Message: fmt.Sprintf("container %s does not start: %s", container.Name, waiting.Message)}
}

func crashed(container observed.ContainerStatus, end *observed.ContainerTerminated, remedy Remedy) *Problem {
	message := fmt.Sprintf("container %s exits again and again with exit code %d", container.Name, end.ExitCode)
	if line := lastLine(end.Message); line != "" {
		message += fmt.Sprintf(" and logs %q", line)
	}
	return &Problem{Reason: ReasonCrashLoopBackOff, Message: joinSentence(message, remedy.ExitCodes[end.ExitCode])}
}

// recentlyKilled returns the first container that was killed for its memory within recentPeriod and runs again. The crash
// itself is over in a second and leaves no trace but an empty cache.
func recentlyKilled(pods []*observed.Pod, remedies Remedies, now metav1.Time) Finding {
	var first Finding
	for _, pod := range pods {
		for _, container := range pod.Status.ContainerStatuses {
			end := container.LastState.Terminated
			if end == nil || end.Reason != ReasonOOMKilled {
				continue
			}
			left := recent(end.FinishedAt.Time, now)
			if left == 0 {
				continue
			}
			problem := outOfMemory(container.Name, remedies[container.Name])
			problem.Message = fmt.Sprintf("pod %s: %s", pod.Name, problem.Message)
			first = First(first, Finding{Problem: problem, Wait: left})
		}
	}
	return first
}

// lastLine returns the last line of a log, where a program says why it exits. Earlier lines may differ at every restart,
// and each difference would be a write of the status.
func lastLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), maxLine)]
}

// registryMessage strips what the kubelet puts before the registry's own words while it backs off, so that the message
// stays the same when it tries again.
func registryMessage(message string) string {
	for _, reason := range []string{"ErrImagePull: ", "RegistryUnavailable: ", "SignatureValidationFailed: "} {
		if _, words, found := strings.Cut(message, reason); found {
			return words
		}
	}
	return message
}

func joinSentence(fact, remedy string) string {
	if remedy == "" {
		return fact
	}
	return fact + ": " + remedy
}
