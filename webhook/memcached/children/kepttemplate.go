package children

import (
	"cmp"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

// KeptTemplate is the pod template of a workload whose pods are not replaced.
type KeptTemplate struct {
	Template corev1.PodTemplateSpec
	// Images are the annotations of the workload with the default images of the template.
	Images map[string]string
}

// KeptTemplateOf returns the pod template of an observed workload as it was applied last. A response with it changes nothing.
// Without the annotation of Metacontroller, it is the whole observed template: the API server has set defaults in it, which stay.
func KeptTemplateOf(workload *observed.Workload) (*KeptTemplate, error) {
	var applied struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	last := cmp.Or(workload.GetLastApplied(), "{}")
	if err := json.Unmarshal([]byte(last), &applied); err != nil {
		return nil, fmt.Errorf("reading the pod template of %s that was applied last: %w", workload.Name, err)
	}
	if applied.Spec.Template == nil {
		if err := json.Unmarshal(workload.SpecJSON(), &applied.Spec); err != nil {
			return nil, fmt.Errorf("reading the pod template of %s: %w", workload.Name, err)
		}
	}
	kept := &KeptTemplate{Template: *applied.Spec.Template, Images: map[string]string{}}
	for _, container := range []string{ContainerName, ExporterName, ReloaderName} {
		if image, found := workload.Annotations[ImageAnnotation(container)]; found {
			kept.Images[ImageAnnotation(container)] = image
		}
	}
	return kept, nil
}

// image returns the image of a container; "" if the template has no such container.
func (k *KeptTemplate) image(container string) string {
	for i := range k.Template.Spec.Containers {
		if k.Template.Spec.Containers[i].Name == container {
			return k.Template.Spec.Containers[i].Image
		}
	}
	return ""
}
