package monitoring

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/memcached_exporter/pkg/exporter"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// foreign has metrics of programs that this test cannot run, and the sources of their names.
var foreign = []string{
	"up",                                                            // Prometheus itself
	"container_cpu_usage_seconds_total",                             // cAdvisor in the kubelet: metrics/prometheus.go
	"container_memory_working_set_bytes",                            // the same
	"kube_pod_container_resource_limits",                            // kube-state-metrics: docs/metrics/workload/pod-metrics.md
	"kube_pod_container_status_restarts_total",                      // the same
	"memcached_proxy_reads_total",                                   // the exporter of proxies: webhook/exporter
	"metacontroller_sync_requests_total",                            // Metacontroller 4.17: pkg/metrics/http.go
	"metacontroller_sync_request_duration_histogram_seconds_bucket", // the same
}

// TestQueriesNameMetricsThatExist checks that alerts and dashboard query only metrics that exist.
func TestQueriesNameMetricsThatExist(t *testing.T) {
	known := map[string]bool{}
	for _, name := range foreign {
		known[name] = true
	}
	for _, names := range [][]string{operatorMetrics(t), exporterMetrics(), stateMetricNames(t)} {
		if len(names) == 0 {
			t.Fatal("a source of metrics has none")
		}
		for _, name := range names {
			known[name] = true
		}
	}
	for where, query := range queries(t) {
		for _, selector := range selectors(t, where, query) {
			if !known[selector.Name] {
				t.Errorf("%s queries %s, which does not exist", where, selector.Name)
			}
		}
	}
}

// TestSyncAlertCoversEveryController checks that queries with a controller name match every controller.
func TestSyncAlertCoversEveryController(t *testing.T) {
	files, err := filepath.Glob("../../manifests/controllers/*/compositecontroller.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CompositeController (%v)", err)
	}
	for where, query := range queries(t) {
		for _, selector := range selectors(t, where, query) {
			for _, matcher := range selector.LabelMatchers {
				for _, file := range files {
					if name := controllerName(t, file); matcher.Name == "controller_name" && !matcher.Matches(name) {
						t.Errorf("%s does not match the controller %s", where, name)
					}
				}
			}
		}
	}
}

func controllerName(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal(content, &object); err != nil || object.Metadata.Name == "" {
		t.Fatalf("%s has no name (%v)", file, err)
	}
	return object.Metadata.Name
}

// queries returns the queries of rules and dashboard, by rule or panel.
func queries(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, group := range rules(t).Spec.Groups {
		for _, rule := range group.Rules {
			found["rule "+rule.Alert] = rule.Expr.String()
		}
	}
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			found["panel "+panel.Title+" "+target.RefID] = target.Query(".+", ".+", time.Minute)
		}
	}
	return found
}

func selectors(t *testing.T, where, query string) []*parser.VectorSelector {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	var found []*parser.VectorSelector
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			found = append(found, selector)
		}
		return nil
	})
	return found
}

func stateMetricNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, factory := range stateMetrics(t) {
		for _, family := range factory.MetricFamilyGenerators() {
			names = append(names, family.Name)
		}
	}
	return names
}

var fqName = regexp.MustCompile(`fqName: "([^"]+)"`)

// exporterMetrics returns the names of the metrics of prom/memcached-exporter.
func exporterMetrics() []string {
	descs := make(chan *prometheus.Desc)
	go func() {
		exporter.New("", 0, slog.New(slog.DiscardHandler), nil).Describe(descs)
		close(descs)
	}()
	var names []string
	for desc := range descs {
		names = append(names, fqName.FindStringSubmatch(desc.String())[1])
	}
	return names
}
