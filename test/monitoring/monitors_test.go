package monitoring

import (
	"bytes"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// TestOperatorIsScraped checks that the ServiceMonitor selects the Service, and the Service selects the operator's pods and their port.
func TestOperatorIsScraped(t *testing.T) {
	var service corev1.Service
	var monitor monitoringv1.ServiceMonitor
	documents(t, filepath.Join(lab.Component, "operator.yaml"), &service, &monitor)
	var deployment appsv1.Deployment
	read(t, "../../manifests/base/deployment.yaml", &deployment)

	if !selects(t, monitor.Spec.Selector, service.Labels) || monitor.Namespace != service.Namespace {
		t.Errorf("the ServiceMonitor selects %v, but the Service has %v", monitor.Spec.Selector, service.Labels)
	}
	if want := deployment.Spec.Selector.MatchLabels; !labels.Equals(want, service.Spec.Selector) {
		t.Errorf("the Service selects %v, but the operator's Deployment selects %v", service.Spec.Selector, want)
	}
	ports := map[string]bool{}
	for _, port := range deployment.Spec.Template.Spec.Containers[0].Ports {
		ports[port.Name] = true
	}
	for _, port := range service.Spec.Ports {
		if !ports[port.TargetPort.StrVal] || port.Name != monitor.Spec.Endpoints[0].Port {
			t.Errorf("the Service port %s has the target %s, the pods have the ports %v, and the ServiceMonitor scrapes %s", port.Name, port.TargetPort.StrVal, ports, monitor.Spec.Endpoints[0].Port)
		}
	}
}

// TestCachesAreScraped checks that the PodMonitor selects the servers and the proxies of every golden response, and their exporters' port.
// Not all golden responses have whole children.
func TestCachesAreScraped(t *testing.T) {
	var monitor monitoringv1.PodMonitor
	documents(t, filepath.Join(lab.Component, "caches.yaml"), &monitor)
	if !monitor.Spec.NamespaceSelector.Any {
		t.Error("the PodMonitor does not select all namespaces")
	}
	files, err := filepath.Glob("../testdata/memcached/sync/*/response.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden response (%v)", err)
	}
	port := *monitor.Spec.PodMetricsEndpoints[0].Port
	exporters := map[string]bool{}
	for _, file := range files {
		for kind, template := range templates(t, file) {
			if !selects(t, monitor.Spec.Selector, template.Labels) {
				t.Errorf("%s: the PodMonitor does not select the pods with the labels %v", file, template.Labels)
			}
			for _, container := range template.Spec.Containers {
				if container.Name == "exporter" && container.Ports[0].Name == port {
					exporters[kind+" "+template.Spec.Containers[0].Name] = true
				}
			}
		}
	}
	for _, want := range []string{"Deployment memcached", "StatefulSet memcached", "Deployment proxy"} {
		if !exporters[want] {
			t.Errorf("no exporter of a %s is scraped, only those of %v", want, exporters)
		}
	}
}

// templates returns the pod templates of servers and proxies in a golden response, with the kind of the child.
func templates(t *testing.T, file string) iter.Seq2[string, corev1.PodTemplateSpec] {
	t.Helper()
	var response struct {
		Children []struct {
			Kind string `json:"kind"`
			Spec struct {
				Template corev1.PodTemplateSpec `json:"template"`
			} `json:"spec"`
		} `json:"children"`
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &response); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return func(yield func(string, corev1.PodTemplateSpec) bool) {
		for _, child := range response.Children {
			if child.Spec.Template.Labels != nil && child.Kind != "Job" && !yield(child.Kind, child.Spec.Template) {
				return
			}
		}
	}
}

// TestMetacontrollerIsScraped checks that metacontroller-values.yaml enables a Service with the scraped port.
func TestMetacontrollerIsScraped(t *testing.T) {
	var monitor monitoringv1.ServiceMonitor
	documents(t, filepath.Join(lab.Component, "metacontroller.yaml"), &monitor)
	var values struct {
		Service struct {
			Enabled bool                 `json:"enabled"`
			Ports   []corev1.ServicePort `json:"ports"`
		} `json:"service"`
	}
	content, err := os.ReadFile("../../manifests/metacontroller-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	if !values.Service.Enabled || len(values.Service.Ports) != 1 || values.Service.Ports[0].Name != monitor.Spec.Endpoints[0].Port {
		t.Errorf("the values have the Service %+v, but the ServiceMonitor scrapes the port %q", values.Service, monitor.Spec.Endpoints[0].Port)
	}
}

// documents decodes the YAML documents of a file into the values. It fails on unknown fields.
func documents(t *testing.T, file string, values ...any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.Split(content, []byte("\n---\n"))
	if len(parts) != len(values) {
		t.Fatalf("%s has %d documents, want %d", file, len(parts), len(values))
	}
	for i, part := range parts {
		if err := yaml.UnmarshalStrict(part, values[i]); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}

func selects(t *testing.T, selector metav1.LabelSelector, set map[string]string) bool {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Matches(labels.Set(set))
}
