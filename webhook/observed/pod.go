package observed

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
)

// Pod is an observed pod.
type Pod struct {
	Meta   `json:"metadata"`
	Spec   skipped   `json:"spec"`
	Status PodStatus `json:"status"`
}

// PodStatus is the part of a pod's status that rules read.
type PodStatus struct {
	Phase                 corev1.PodPhase   `json:"phase"`
	Conditions            PodConditions     `json:"conditions"`
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses"`
	ContainerStatuses     []ContainerStatus `json:"containerStatuses"`
	PodIP                 string            `json:"podIP"`
	StartTime             time.Time         `json:"startTime"`
}

// PodConditions are a pod's conditions that tell something: Ready, and of the others those that do not hold. The rest is
// read and not kept, which is four of five on most pods.
type PodConditions []PodCondition

// readConditions saves each pod the memory of a condition that is read and not kept.
var readConditions = sync.Pool{New: func() any { return new(PodCondition) }}

// UnmarshalJSONFrom reads the list of all conditions.
func (c *PodConditions) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginArray {
		return json.UnmarshalDecode(decoder, (*[]PodCondition)(c)) // null, or an error that says what is there instead
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	*c = PodConditions{}
	condition := readConditions.Get().(*PodCondition)
	defer readConditions.Put(condition)
	for decoder.PeekKind() != jsontext.KindEndArray {
		*condition = PodCondition{}
		if err := json.UnmarshalDecode(decoder, condition); err != nil {
			return err
		}
		if condition.Type == corev1.PodReady || condition.Status != corev1.ConditionTrue {
			*c = append(*c, *condition)
		}
	}
	_, err := decoder.ReadToken()
	return err
}

// PodCondition is the part of a pod's condition that rules read.
type PodCondition struct {
	Type    corev1.PodConditionType `json:"type"`
	Status  corev1.ConditionStatus  `json:"status"`
	Reason  string                  `json:"reason"`
	Message string                  `json:"message"`
}

// ContainerStatus is the part of a container's status that rules read.
type ContainerStatus struct {
	Name      string         `json:"name"`
	Image     string         `json:"image"`
	Ready     bool           `json:"ready"`
	State     ContainerState `json:"state"`
	LastState ContainerState `json:"lastState"`
}

// ContainerState says what a container does, or did last: at most one of its fields is set.
type ContainerState struct {
	Waiting    *ContainerWaiting    `json:"waiting"`
	Running    ContainerRunning     `json:"running"`
	Terminated *ContainerTerminated `json:"terminated"`
}

// ContainerWaiting says why a container does not run yet, or again.
type ContainerWaiting struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// ContainerRunning says since when a container runs; zero where it does not. A [time.Time] is read without an allocation,
// and every container has one.
type ContainerRunning struct {
	StartedAt time.Time `json:"startedAt"`
}

// ContainerTerminated says how a container ended.
type ContainerTerminated struct {
	ExitCode   int32       `json:"exitCode"`
	Reason     string      `json:"reason"`
	Message    string      `json:"message"`
	FinishedAt metav1.Time `json:"finishedAt"`
}

// Live is true for a pod that runs or still may: not one that is being deleted or has finished.
func (p *Pod) Live() bool {
	return !p.Terminating() && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed
}

// Ready is true while the pod serves.
func (p *Pod) Ready() bool {
	return slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}

// ContainerReady is true while the container of that name is ready, whatever the others of the pod are.
func (p *Pod) ContainerReady(name string) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(container ContainerStatus) bool {
		return container.Name == name && container.Ready
	})
}

// ContainerRunning reports whether the container of that name runs.
func (p *Pod) ContainerRunning(name string) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(container ContainerStatus) bool {
		return container.Name == name && !container.State.Running.StartedAt.IsZero()
	})
}

// Serves is true while the container of that name serves: where the pod is ready, or is not because of its other
// containers alone. Of a pod whose node is lost the containers are still said to be ready, but not for that reason.
func (p *Pod) Serves(name string) bool {
	return p.Ready() || p.ContainerReady(name) && slices.ContainsFunc(p.Status.Conditions, func(condition PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Reason == "ContainersNotReady"
	})
}

// LivePods returns the live pods of that namespace with all of these labels, in the order of the given pods.
//
// Metacontroller was asked for just these, but the reach of a related rule depends on its version, so the hook looks
// for itself: a foreign pod in status would be a lie.
func LivePods(pods iter.Seq[*Pod], namespace string, labels map[string]string) []*Pod {
	var live []*Pod
	selector := k8slabels.SelectorFromSet(labels)
	for pod := range pods {
		if pod.Namespace == namespace && pod.Live() && selector.Matches(k8slabels.Set(pod.Labels)) {
			live = append(live, pod)
		}
	}
	return live
}

// PodNames returns the sorted names of the pods, and never nil: the API server prunes a null in a status, which would then
// differ at every sync.
func PodNames(pods []*Pod) []string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	return names
}
