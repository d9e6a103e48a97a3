// Package monitoring tests manifests/components/monitoring with the code that reads it: alerts with promtool, status metrics
// with kube-state-metrics, and the dashboard with Prometheus.
package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// alertTests has the expected alerts of promtool's test file.
type alertTests struct {
	Tests []struct {
		Rules []struct {
			Name   string `json:"alertname"`
			Expect []any  `json:"exp_alerts"`
		} `json:"alert_rule_test"`
	} `json:"tests"`
}

// TestAlerts checks and tests the rules with promtool.
func TestAlerts(t *testing.T) {
	dir := t.TempDir()
	groups, err := yaml.Marshal(map[string]any{"groups": rules(t).Spec.Groups})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rules.yaml"), groups)
	tests, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "alerts.yaml"), tests)
	promtool(t, "check", "rules", "--lint=all", "--lint-fatal", filepath.Join(dir, "rules.yaml"))
	promtool(t, "test", "rules", filepath.Join(dir, "alerts.yaml"))
}

// TestRunbooks checks that the runbook of each alert is a section of a page of this repository.
func TestRunbooks(t *testing.T) {
	for _, group := range rules(t).Spec.Groups {
		for _, rule := range group.Rules {
			url := rule.Annotations["runbook_url"]
			page, anchor, _ := strings.Cut(strings.TrimPrefix(url, "https://github.com/example/memcached-operator/blob/main/"), "#")
			content, err := os.ReadFile(filepath.Join("../..", page))
			if err != nil || !slices.Contains(anchors(string(content)), anchor) {
				t.Errorf("%s: the runbook %q is no section of a page (%v)", rule.Alert, url, err)
			}
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^a-z0-9 -]`)

// anchors returns the anchors of the headings of a page, as GitHub names them.
func anchors(page string) []string {
	var found []string
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			found = append(found, strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-"))
		}
	}
	return found
}

// TestEveryAlertIsTested checks that the test file has a firing and a silent case for each alert.
func TestEveryAlertIsTested(t *testing.T) {
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
			if !fires[rule.Alert] || !silent[rule.Alert] {
				t.Errorf("%s: a firing case: %v, a silent case: %v, want both", rule.Alert, fires[rule.Alert], silent[rule.Alert])
			}
		}
	}
}

// rules reads the PrometheusRule. It fails on unknown fields.
func rules(t *testing.T) monitoringv1.PrometheusRule {
	t.Helper()
	var rule monitoringv1.PrometheusRule
	read(t, filepath.Join(lab.Component, "alerts.yaml"), &rule)
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

// promtool runs the version in go.mod. It is built without service discovery, which rules do not need.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	run := append([]string{"run", "-tags", "remove_all_sd", "github.com/prometheus/prometheus/cmd/promtool"}, args...)
	if output, err := exec.CommandContext(t.Context(), "go", run...).CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, output)
	}
}
