package observed

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodStatus is the part of a pod's status that rules read.
type PodStatus struct {
	Phase                 corev1.PodPhase       `json:"phase"`
	Conditions            PodConditions         `json:"conditions"`
	InitContainerStatuses list[ContainerStatus] `json:"initContainerStatuses"`
	ContainerStatuses     list[ContainerStatus] `json:"containerStatuses"`
	PodIP                 string                `json:"podIP"`
	StartTime             time.Time             `json:"startTime"`
}

// PodConditions are a pod's conditions Ready and DisruptionTarget, and all other conditions that are not True. The decoder drops the rest,
// which is four of five conditions of most pods.
type PodConditions []PodCondition

// UnmarshalJSONFrom reads the conditions.
func (c *PodConditions) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	conditions, err := readList(decoder, func(condition *PodCondition) bool {
		return condition.Type == corev1.PodReady || condition.Type == corev1.DisruptionTarget || condition.Status != corev1.ConditionTrue
	})
	*c = conditions
	return err
}

// PodCondition is the part of a pod's condition that rules read.
type PodCondition struct {
	Type    corev1.PodConditionType `json:"type"`
	Status  corev1.ConditionStatus  `json:"status"`
	Reason  string                  `json:"reason"`
	Message Message                 `json:"message"`
	// LastTransitionTime is when the status of the condition changed last.
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// ContainerStatus is the part of a container's status that rules read.
type ContainerStatus struct {
	Name      string         `json:"name"`
	Image     string         `json:"image"`
	Ready     bool           `json:"ready"`
	Started   bool           `json:"started"`
	State     ContainerState `json:"state"`
	LastState ContainerState `json:"lastState"`
	// Resources are those that the container has, or will start with, whatever the workload has.
	Resources Resources `json:"resources"`
}

// Resources is the part of a container's resources that rules read.
type Resources struct {
	Limits struct {
		Memory string `json:"memory"`
	} `json:"limits"`
}

// ContainerState is the current or last state of a container. At most one of its fields is set.
type ContainerState struct {
	Waiting    *ContainerWaiting    `json:"waiting"`
	Running    ContainerRunning     `json:"running"`
	Terminated *ContainerTerminated `json:"terminated"`
}

// ContainerWaiting has the reason why a container waits to start.
type ContainerWaiting struct {
	Reason  string  `json:"reason"`
	Message Message `json:"message"`
}

// Fails reports whether a container waits because it cannot start, rather than because it is being created.
func (w *ContainerWaiting) Fails() bool {
	return w != nil && !slices.Contains([]string{"", "ContainerCreating", "PodInitializing"}, w.Reason)
}

// ContainerRunning has the time at which a container started; zero when the container does not run. [time.Time] is decoded
// without an allocation, and most containers run.
type ContainerRunning struct {
	StartedAt time.Time `json:"startedAt"`
}

// ContainerTerminated has the exit of a container.
type ContainerTerminated struct {
	ExitCode   int32       `json:"exitCode"`
	Reason     string      `json:"reason"`
	Message    Message     `json:"message"`
	FinishedAt metav1.Time `json:"finishedAt"`
}
