package observed

import (
	"errors"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
)

// Workload is an observed Deployment or StatefulSet. The fields that rules read have the same names in both.
type Workload struct {
	ChildMeta `json:"metadata"`
	Spec      WorkloadSpec   `json:"spec"`
	Status    WorkloadStatus `json:"status"`
}

// CaughtUp reports whether the controller of the workload has observed all of it.
func (w *Workload) CaughtUp() bool { return w.Status.ObservedGeneration >= w.Generation }

// SpecJSON returns the observed spec.
func (w *Workload) SpecJSON() jsontext.Value { return jsontext.Value(w.Spec.whole) }

// WorkloadSpec is the part of a workload's spec that rules read, and the whole spec as JSON.
type WorkloadSpec struct {
	// Replicas is never nil in a workload from an API server.
	Replicas *int32 `json:"replicas"`
	// Paused stops rollouts of a Deployment. kubectl rollout pause sets it.
	Paused   bool        `json:"paused"`
	Template PodTemplate `json:"template"`
	// Ordinals and UpdateStrategy are those of a StatefulSet.
	Ordinals struct {
		Start int32 `json:"start"`
	} `json:"ordinals"`
	UpdateStrategy struct {
		RollingUpdate struct {
			Partition int32 `json:"partition"`
		} `json:"rollingUpdate"`
	} `json:"updateStrategy"`

	whole specJSON
}

// UnmarshalJSONFrom reads the spec and keeps it as JSON.
func (s *WorkloadSpec) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if err := s.whole.UnmarshalJSONFrom(decoder); err != nil {
		return err
	}
	type fields WorkloadSpec // without this method
	err := jsonv2.Unmarshal(s.whole, (*fields)(s), jsontext.AllowDuplicateNames(true))
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		semantic.JSONPointer = decoder.StackPointer() + semantic.JSONPointer // its position in the request
	}
	return err
}

// PodTemplate is the part of a workload's pod template that rules read.
type PodTemplate struct {
	Metadata struct {
		// Labels has the one that rules read, because there can be 150,000.
		Labels struct {
			ProxyRoutes string `json:"memcached-operator.example.com/proxy-routes"`
		} `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		InitContainers list[TemplateContainer] `json:"initContainers"`
		Containers     list[TemplateContainer] `json:"containers"`
	} `json:"spec"`
}

// TemplateContainer is the part of a template's container that rules read.
type TemplateContainer struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Resources Resources `json:"resources"`
}

// Container returns the container of that name; the zero value if there is none.
func (w *Workload) Container(name string) TemplateContainer {
	for _, containers := range [][]TemplateContainer{w.Spec.Template.Spec.InitContainers, w.Spec.Template.Spec.Containers} {
		for _, each := range containers {
			if each.Name == name {
				return each
			}
		}
	}
	return TemplateContainer{}
}

// TemplateAnnotation returns an annotation of the pod template; "" if there is none. It decodes the spec: few rules need
// an annotation, and annotations may be large.
func (w *Workload) TemplateAnnotation(key string) string {
	var spec struct {
		Template struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		} `json:"template"`
	}
	_ = jsonv2.Unmarshal(w.Spec.whole, &spec, jsontext.AllowDuplicateNames(true)) // valid JSON; an annotation that is not a string counts as missing
	return spec.Template.Metadata.Annotations[key]
}

// WorkloadStatus is the part of a workload's status that rules read.
type WorkloadStatus struct {
	ObservedGeneration int64 `json:"observedGeneration"`
	Replicas           int32 `json:"replicas"`
	UpdatedReplicas    int32 `json:"updatedReplicas"`
	ReadyReplicas      int32 `json:"readyReplicas"`
	AvailableReplicas  int32 `json:"availableReplicas"`
	// UpdateRevision is the label controller-revision-hash of the pods of a StatefulSet that have its pod template.
	UpdateRevision string                  `json:"updateRevision"`
	Conditions     list[WorkloadCondition] `json:"conditions"`
}

// WorkloadCondition is the part of a workload's condition that rules read.
type WorkloadCondition struct {
	Type    string                 `json:"type"`
	Status  corev1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason"`
	Message Message                `json:"message"`
}
