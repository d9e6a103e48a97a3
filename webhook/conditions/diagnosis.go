package conditions

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a [Problem] of a pod, in addition to those that the kubelet sets for a waiting container.
const (
	ReasonImagePullBackOff = "ImagePullBackOff"
	ReasonCrashLoopBackOff = "CrashLoopBackOff"
	ReasonOOMKilled        = "OOMKilled"
	ReasonUnschedulable    = "Unschedulable"
)

const (
	// recentPeriod is how long after a restart of a container its previous termination is still reported.
	recentPeriod = 10 * time.Minute
	// maxClockSkew is how far the clock of a node may be ahead of ours. Later times are ignored.
	maxClockSkew = time.Minute
	// maxLine is the maximum length of the log line that a message quotes, in bytes.
	maxLine = 300
)

// Problem is what is wrong with a parent, or what it waits for.
type Problem struct {
	// Reason is the CamelCase reason of a condition.
	Reason string
	// Message reports what is wrong, where, and what to do. It stays the same from sync to sync while the cause is the same.
	Message string
	// Stalled reports whether nothing progresses until a user acts.
	Stalled bool
}

// Finding is the result of one rule of diagnosis. Problem is nil when the rule finds nothing.
type Finding struct {
	Problem *Problem
	// Wait is the time after which the result may differ although no object changed; 0 when there is no such time.
	Wait time.Duration
}

// First returns the first problem of several findings, and the shortest wait of all of them.
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

// Soonest returns the shortest of several waits. A wait of 0 means that there is none.
func Soonest(waits ...time.Duration) time.Duration {
	shortest := time.Duration(0)
	for _, wait := range waits {
		if wait > 0 && (shortest == 0 || wait < shortest) {
			shortest = wait
		}
	}
	return shortest
}

// Remedies maps the names of containers to what to do when they do not run.
type Remedies map[string]Remedy

// Remedy is what to do about a container that does not run. Its texts are parts of sentences, without a full stop.
type Remedy struct {
	// OOMKilled names the field to increase.
	OOMKilled string
	// ExitCodes explains the exit codes of the program.
	ExitCodes map[int32]string
	// Reports marks a program that exits to report something, which the parent's own rules read.
	Reports bool
}

// diagnosePods returns the problem of the first pod that has one. Its message has no counters and no back-off times, because
// these differ at every sync.
func diagnosePods(pods []*observed.Pod, remedies Remedies, claim *Claim, now metav1.Time) Finding {
	var first Finding
	several := false
	for _, pod := range pods {
		found := diagnosePod(pod, remedies, claim, now)
		first.Wait = Soonest(first.Wait, found.Wait)
		switch problem := found.Problem; {
		case problem == nil:
		case first.Problem == nil:
			first.Problem = &Problem{Reason: problem.Reason, Message: podMessage(pod, problem.Message)}
		case problem.Reason == first.Problem.Reason:
			several = true
		}
	}
	if several {
		first.Problem.Message += " (Other pods have the same problem.)"
	}
	return first
}

func diagnosePod(pod *observed.Pod, remedies Remedies, claim *Claim, now metav1.Time) Finding {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return unschedulable(pod, condition, claim, now)
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

// diagnoseContainer returns what is wrong with a container. When a restarted container is not ready, its previous
// termination explains why for recentPeriod.
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

// recent returns for how much longer a time counts as recent; 0 when the time is not recent.
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
	return &Problem{Reason: ReasonOOMKilled, Message: joinSentences(
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
	message := fmt.Sprintf("container %s exits repeatedly with exit code %d", container.Name, end.ExitCode)
	if line := lastLine(end.Message); line != "" {
		message += fmt.Sprintf(" and logs %q", line)
	}
	return &Problem{Reason: ReasonCrashLoopBackOff, Message: joinSentences(message, remedy.ExitCodes[end.ExitCode])}
}

// recentlyKilled returns the problem of the first container that was killed for its memory within recentPeriod and runs
// again. The restart takes about a second, and its only other trace is an empty cache.
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
			problem.Message = podMessage(pod, problem.Message)
			first = First(first, Finding{Problem: problem, Wait: left})
		}
	}
	return first
}

// lastLine returns the last line of a log, in which a program reports why it exits. Earlier lines may differ at every
// restart, and each difference would be a write of the status.
func lastLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), maxLine)]
}

// registryMessage strips the prefix that the kubelet adds to the registry's message during back-off, so that the message is
// the same when the kubelet retries.
func registryMessage(message string) string {
	for _, reason := range []string{"ErrImagePull: ", "RegistryUnavailable: ", "SignatureValidationFailed: "} {
		if _, response, found := strings.Cut(message, reason); found {
			return response
		}
	}
	return message
}

func podMessage(pod *observed.Pod, message string) string { return "Pod " + pod.Name + ": " + message }

// joinSentences returns a sentence with the fact, and one with the remedy when there is any.
func joinSentences(fact, remedy string) string {
	if remedy == "" {
		return fact + "."
	}
	return fact + ". " + strings.ToUpper(remedy[:1]) + remedy[1:] + "."
}
