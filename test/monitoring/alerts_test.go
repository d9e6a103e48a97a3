// Package monitoring tests manifests/components/monitoring with the code of those who read it: the alerts with
// Prometheus' promtool, the statuses with kube-state-metrics, the names of metrics with the hook and the exporter.
package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

const component = "../../manifests/components/monitoring"

// alertTests is the part of promtool's test file that says which alerts are expected.
type alertTests struct {
	Tests []struct {
		Rules []struct {
			Name   string `json:"alertname"`
			Expect []any  `json:"exp_alerts"`
		} `json:"alert_rule_test"`
	} `json:"tests"`
}

// TestAlerts runs promtool's unit tests on the rules, and its check of their form.
func TestAlerts(t *testing.T) {
	folder := t.TempDir()
	groups, err := yaml.Marshal(map[string]any{"groups": rules(t).Spec.Groups})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "rules.yaml"), groups)
	tests, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "alerts.yaml"), tests)
	promtool(t, "check", "rules", "--lint=all", "--lint-fatal", filepath.Join(folder, "rules.yaml"))
	promtool(t, "test", "rules", filepath.Join(folder, "alerts.yaml"))
}

// TestAlertsAreTried holds that each alert is seen to fire and seen to be silent.
func TestAlertsAreTried(t *testing.T) {
	content, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests alertTests
	if err := yaml.Unmarshal(content, &tests); err != nil {
		t.Fatal(err)
	}
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range tests.Tests {
		for _, rule := range test.Rules {
			fires[rule.Name] = fires[rule.Name] || len(rule.Expect) > 0
			silent[rule.Name] = silent[rule.Name] || len(rule.Expect) == 0
		}
	}
	for _, group := range rules(t).Spec.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" && (!fires[rule.Alert] || !silent[rule.Alert]) {
				t.Errorf("%s: seen to fire %v, seen to be silent %v", rule.Alert, fires[rule.Alert], silent[rule.Alert])
			}
		}
	}
}

// rules reads the PrometheusRule and refuses fields that its kind does not have.
func rules(t *testing.T) monitoringv1.PrometheusRule {
	t.Helper()
	var rule monitoringv1.PrometheusRule
	read(t, filepath.Join(component, "alerts.yaml"), &rule)
	return rule
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(content, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// promtool runs the version that go.mod names, built without the service discoveries, which rules have no use for.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	run := append([]string{"run", "-tags", "remove_all_sd", "github.com/prometheus/prometheus/cmd/promtool"}, args...)
	if output, err := exec.CommandContext(t.Context(), "go", run...).CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, output)
	}
}
