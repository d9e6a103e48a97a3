package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-state-metrics/v2/pkg/customresource"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
	"sigs.k8s.io/yaml"
)

// Golden is the directory of the golden requests and responses, relative to the directory of this module.
const Golden = "../testdata"

// StateMetrics are the metric factories that kube-state-metrics creates from custom-resource-state.yaml, by kind.
type StateMetrics map[schema.GroupVersionKind]customresource.RegistryFactory

// NewStateMetrics reads custom-resource-state.yaml.
func NewStateMetrics() (StateMetrics, error) {
	content, err := os.ReadFile(filepath.Join(Component, "custom-resource-state.yaml"))
	if err != nil {
		return nil, err
	}
	var config struct {
		Kind string `json:"kind"`
		customresourcestate.Metrics
	}
	if err := yaml.UnmarshalStrict(content, &config); err != nil {
		return nil, fmt.Errorf("decoding custom-resource-state.yaml: %w", err)
	}
	made := StateMetrics{}
	for _, resource := range config.Spec.Resources {
		for i := range resource.Metrics {
			each := &resource.Metrics[i].Each
			each.Type = metric.Type(strings.ToLower(string(each.Type))) // kube-state-metrics does this when it reads the file
		}
		factory, err := customresourcestate.NewCustomResourceMetrics(resource)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", resource.GroupVersionKind, err)
		}
		made[schema.GroupVersionKind(resource.GroupVersionKind)] = factory
	}
	return made, nil
}

// Text returns the metrics of a resource in Prometheus' format.
func (s StateMetrics) Text(resource *unstructured.Unstructured) string {
	var text strings.Builder
	for _, family := range s[resource.GroupVersionKind()].MetricFamilyGenerators() {
		text.Write(family.Generate(resource).ByteSlice())
	}
	return text.String()
}

// GoldenResource returns the resource of a golden request with the status of the golden response.
func GoldenResource(dir string) (*unstructured.Unstructured, error) {
	var request struct {
		Parent map[string]any `json:"parent"`
	}
	var response struct {
		Status map[string]any `json:"status"`
	}
	for file, into := range map[string]any{"request.json": &request, "response.json": &response} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, into); err != nil {
			return nil, fmt.Errorf("decoding %s of %s: %w", file, dir, err)
		}
	}
	request.Parent["status"] = response.Status
	return &unstructured.Unstructured{Object: request.Parent}, nil
}
