// Package deployment gives other programs of the cluster benchmark the Deployment that this operator creates, so that the API
// server, the scheduler and the kubelets have the same work for all of them.
package deployment

import (
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

// Template is the Deployment of one parent.
type Template struct{ deployment appsv1.Deployment }

// Read reads a template from a file that contains a Deployment as YAML or JSON.
func Read(file string) (*Template, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the Deployment: %w", err)
	}
	var t Template
	if err := yaml.UnmarshalStrict(content, &t.deployment); err != nil {
		return nil, fmt.Errorf("decode the Deployment in %s: %w", file, err)
	}
	return &t, nil
}

// Of returns the Deployment of another parent: its labels and selectors have the name of this parent.
func (t *Template) Of(namespace, name string, replicas *int32) *appsv1.Deployment {
	d := t.deployment.DeepCopy()
	labels := []map[string]string{d.Labels, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels}
	for _, constraint := range d.Spec.Template.Spec.TopologySpreadConstraints {
		labels = append(labels, constraint.LabelSelector.MatchLabels)
	}
	for _, each := range labels {
		for key, value := range each {
			if value == d.Name {
				each[key] = name
			}
		}
	}
	d.Namespace, d.Name, d.Spec.Replicas = namespace, name, replicas
	return d
}
