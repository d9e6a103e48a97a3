package object

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload is an observed Deployment or StatefulSet: what rules read of either has the same names in both.
type Workload struct {
	Meta   `json:"metadata"`
	Spec   WorkloadSpec   `json:"spec"`
	Status WorkloadStatus `json:"status"`
}

// WorkloadSpec is the part of a workload's spec that rules read.
type WorkloadSpec struct {
	// Replicas is never nil in what an API server says.
	Replicas *int32      `json:"replicas"`
	Template PodTemplate `json:"template"`
}

// PodTemplate is the part of a workload's pod template that rules read.
type PodTemplate struct {
	Spec struct {
		Containers []TemplateContainer `json:"containers"`
	} `json:"spec"`
}

// TemplateContainer is the part of a template's container that rules read.
type TemplateContainer struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

// Image is that of the container of a name; "" where there is none.
func (w *Workload) Image(container string) string {
	for _, each := range w.Spec.Template.Spec.Containers {
		if each.Name == container {
			return each.Image
		}
	}
	return ""
}

// WorkloadStatus is the part of a workload's status that rules read.
type WorkloadStatus struct {
	ObservedGeneration int64               `json:"observedGeneration"`
	Replicas           int32               `json:"replicas"`
	UpdatedReplicas    int32               `json:"updatedReplicas"`
	ReadyReplicas      int32               `json:"readyReplicas"`
	AvailableReplicas  int32               `json:"availableReplicas"`
	Conditions         []WorkloadCondition `json:"conditions"`
}

// WorkloadCondition is the part of a workload's condition that rules read.
type WorkloadCondition struct {
	Type    string                 `json:"type"`
	Status  corev1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason"`
	Message string                 `json:"message"`
}

// Rollout sets the replicas that a parent asks for against those that its workload reports.
type Rollout struct {
	Desired   int32
	Replicas  int32
	Updated   int32
	Ready     int32
	Available int32
	// Current is true when the report speaks of what is asked for now and not of an earlier generation.
	Current bool
	// generation is the parent's.
	generation int64
	// Held is what keeps the parent from being ready, whatever its replicas do; nil for nothing.
	Held *Problem
	// failures are the conditions by which the workload itself says that it cannot go on.
	failures []WorkloadCondition
}

// RolloutOf reads the workload that a parent of that generation asked for; nil when there is none yet.
func RolloutOf(workload *Workload, desired int32, parent metav1.Object) Rollout {
	rollout := Rollout{Desired: desired, generation: parent.GetGeneration()}
	if workload == nil {
		return rollout
	}
	status := workload.Status
	rollout.Replicas, rollout.Updated = status.Replicas, status.UpdatedReplicas
	rollout.Ready, rollout.Available = status.ReadyReplicas, status.AvailableReplicas
	rollout.Current = workload.Annotations.ParentGeneration == ParentGeneration(parent)[ParentGenerationAnnotation] &&
		workload.Spec.Replicas != nil && *workload.Spec.Replicas == desired &&
		status.ObservedGeneration >= workload.Generation &&
		!workload.Terminating()
	for _, condition := range status.Conditions {
		if isFailure(condition) {
			rollout.failures = append(rollout.failures, condition)
		}
	}
	return rollout
}

// Settled is true when exactly the replicas that were asked for run, all of them up to date and available.
func (r Rollout) Settled() bool {
	return r.Current && r.Replicas == r.Desired && r.Updated == r.Desired && r.Ready == r.Desired && r.Available == r.Desired
}

// onlyAge is true when nothing but time is wanting: every replica is up to date and ready, and not all of them for
// minReadySeconds yet.
func (r Rollout) onlyAge() bool {
	return r.Current && r.Updated == r.Desired && r.Ready == r.Desired && r.Available < r.Desired
}

func (r Rollout) String() string {
	if !r.Current {
		return fmt.Sprintf("%d of %d replicas are ready, the latest change is not rolled out yet", r.Ready, r.Desired)
	}
	if r.onlyAge() {
		// Without a number: pods come of age one by one, and each would be another write of the status.
		return fmt.Sprintf("all %d replicas are up to date and ready, but not all for as long as minReadySeconds asks", r.Desired)
	}
	return fmt.Sprintf("%d of %d replicas are up to date, %d are ready", r.Updated, r.Desired, r.Ready)
}

// isFailure is true for the conditions of Deployments and ReplicaSets that say "this will not get better by itself".
//
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
func isFailure(condition WorkloadCondition) bool {
	switch condition.Type {
	case "ReplicaFailure":
		return condition.Status == corev1.ConditionTrue
	case "Progressing":
		return condition.Status == corev1.ConditionFalse
	}
	return false
}
