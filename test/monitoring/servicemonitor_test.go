package monitoring

import (
	"encoding/json"
	"os"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestServiceMonitorOfCache checks that the Prometheus operator can decode the ServiceMonitor of a cache, and that it selects
// the Service and the port of the exporters.
func TestServiceMonitorOfCache(t *testing.T) {
	service, monitor := serviceAndMonitor(t)
	if monitor.Namespace != service.Namespace || !selects(t, monitor.Spec.Selector, service.Labels) {
		t.Errorf("the ServiceMonitor selects %v, but the Service has %v", monitor.Spec.Selector, service.Labels)
	}
	for _, port := range service.Spec.Ports {
		if port.Name == monitor.Spec.Endpoints[0].Port {
			return
		}
	}
	t.Errorf("the ServiceMonitor scrapes the port %q, but the Service has %v", monitor.Spec.Endpoints[0].Port, service.Spec.Ports)
}

// serviceAndMonitor returns the Service and the ServiceMonitor of a golden response.
func serviceAndMonitor(t *testing.T) (service corev1.Service, monitor monitoringv1.ServiceMonitor) {
	t.Helper()
	content, err := os.ReadFile("../testdata/memcached/sync/metrics-of-tls-and-sasl/response.json")
	if err != nil {
		t.Fatal(err)
	}
	var response struct {
		Children []json.RawMessage `json:"children"`
	}
	if err := json.Unmarshal(content, &response); err != nil {
		t.Fatal(err)
	}
	for _, child := range response.Children {
		var kind struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(child, &kind); err != nil {
			t.Fatal(err)
		}
		if into, wanted := map[string]any{"Service": &service, "ServiceMonitor": &monitor}[kind.Kind]; wanted {
			if err := yaml.UnmarshalStrict(child, into); err != nil {
				t.Fatalf("%s: %v", kind.Kind, err)
			}
		}
	}
	return service, monitor
}
