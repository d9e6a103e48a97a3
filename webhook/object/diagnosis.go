package object

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of a [Problem] beside those that the kubelet gives for a container that waits.
const (
	ReasonImagePullBackOff         = "ImagePullBackOff"
	ReasonCrashLoopBackOff         = "CrashLoopBackOff"
	ReasonOOMKilled                = "OOMKilled"
	ReasonUnschedulable            = "Unschedulable"
	ReasonReplicaFailure           = "ReplicaFailure"
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// Lately is how long a container has to run until how it ended before explains nothing any more.
const Lately = 10 * time.Minute

// mostOfALine is how many bytes of a program's words are told.
const mostOfALine = 300

// Problem is what stands in the way of a parent's pods, in the words that a person needs to mend it.
type Problem struct {
	Reason  string
	Message string
}

// Remedies are those of each container, by its name.
type Remedies map[string]Remedy

// Remedy tells what only the parent's own package knows: what to do about a reason or an exit code.
type Remedy struct {
	// OOMKilled says which field to raise.
	OOMKilled string
	// ExitCodes explains how the program ends.
	ExitCodes map[int32]string
	// Reports is true for a program that ends when it has something to tell, which is for its parent to read.
	Reports bool
}

// Diagnose returns what stands in the way of the pods, or nil. Pods come first, as the cause lies with them, and of
// those the first in their order that tells something; then what the workload says of itself.
//
// Messages must not change from sync to sync while the cause is the same, so counters and back-off times stay out.
func Diagnose(pods []*Pod, rollout Rollout, remedies Remedies, now metav1.Time) *Problem {
	var first *Problem
	alike := 0
	for _, pod := range pods {
		problem := diagnosePod(pod, remedies, now)
		if problem == nil {
			continue
		}
		if first == nil {
			first = &Problem{Reason: problem.Reason, Message: fmt.Sprintf("pod %s: %s", pod.Name, problem.Message)}
		} else if problem.Reason == first.Reason {
			alike++
		}
	}
	if first == nil {
		return diagnoseWorkload(rollout)
	}
	if alike > 0 {
		first.Message += fmt.Sprintf(" (likewise %d more)", alike)
	}
	return first
}

func diagnoseWorkload(rollout Rollout) *Problem {
	for _, failure := range rollout.failures {
		if failure.Type == "ReplicaFailure" {
			return &Problem{Reason: ReasonReplicaFailure, Message: "pods cannot be created: " + failure.Message}
		}
	}
	for _, failure := range rollout.failures {
		return &Problem{Reason: ReasonProgressDeadlineExceeded, Message: "the rollout is stuck: " + failure.Message}
	}
	return nil
}

func diagnosePod(pod *Pod, remedies Remedies, now metav1.Time) *Problem {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return &Problem{Reason: ReasonUnschedulable, Message: "no node takes it: " + condition.Message}
		}
	}
	for _, statuses := range [][]ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, container := range statuses {
			if problem := diagnoseContainer(container, remedies, now); problem != nil {
				return problem
			}
		}
	}
	return nil
}

func diagnoseContainer(container ContainerStatus, remedies Remedies, now metav1.Time) *Problem {
	ended := container.State.Terminated
	if ended == nil && !container.Ready && !container.State.Running.since(now.Add(-Lately)) {
		ended = container.LastState.Terminated
	}
	if ended != nil && ended.Reason == ReasonOOMKilled {
		return &Problem{Reason: ReasonOOMKilled, Message: joinSentence("container "+container.Name+" was killed for using more memory than its limit", remedies[container.Name].OOMKilled)}
	}
	if remedies[container.Name].Reports && (container.State.Waiting == nil || container.State.Waiting.Reason == ReasonCrashLoopBackOff) {
		return nil
	}
	if waiting := container.State.Waiting; waiting != nil {
		return diagnoseWaiting(container, waiting, ended, remedies)
	}
	if ended != nil && ended.ExitCode != 0 {
		return crashed(container, ended, remedies)
	}
	return nil
}

// since is true for a container that runs and has done so since then.
func (r ContainerRunning) since(then time.Time) bool {
	return !r.StartedAt.IsZero() && !r.StartedAt.After(then)
}

func diagnoseWaiting(container ContainerStatus, waiting *ContainerWaiting, ended *ContainerTerminated, remedies Remedies) *Problem {
	switch waiting.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return nil
	case ReasonImagePullBackOff, "ErrImagePull", "RegistryUnavailable", "SignatureValidationFailed":
		return &Problem{
			Reason:  ReasonImagePullBackOff,
			Message: fmt.Sprintf("image %q cannot be pulled: %s", container.Image, registrySays(waiting.Message)),
		}
	case ReasonCrashLoopBackOff:
		if ended != nil {
			return crashed(container, ended, remedies)
		}
	}
	return &Problem{Reason: waiting.Reason, Message: fmt.Sprintf("container %s does not start: %s", container.Name, waiting.Message)}
}

func crashed(container ContainerStatus, ended *ContainerTerminated, remedies Remedies) *Problem {
	message := fmt.Sprintf("container %s keeps ending with exit code %d", container.Name, ended.ExitCode)
	if said := lastLine(ended.Message); said != "" {
		message += fmt.Sprintf(" and says %q", said)
	}
	return &Problem{Reason: ReasonCrashLoopBackOff, Message: joinSentence(message, remedies[container.Name].ExitCodes[ended.ExitCode])}
}

// lastLine is where a program says why it ends. What comes before may be another at each time, and make a write of each.
func lastLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), mostOfALine)]
}

// registrySays strips what the kubelet puts before the registry's words while it backs off, so that the message stays
// the same when it tries again.
func registrySays(message string) string {
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
