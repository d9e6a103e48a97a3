package monitoring

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/kube-state-metrics/v2/pkg/customresource"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
)

var update = flag.Bool("update", false, "rewrite the golden metrics")

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard()) // kube-state-metrics logs its configuration at each use
	m.Run()
}

// stateMetrics returns the metric factories that kube-state-metrics creates from custom-resource-state.yaml, by kind.
func stateMetrics(t *testing.T) map[schema.GroupVersionKind]customresource.RegistryFactory {
	t.Helper()
	var config struct {
		Kind string `json:"kind"`
		customresourcestate.Metrics
	}
	read(t, filepath.Join(component, "custom-resource-state.yaml"), &config)
	made := map[schema.GroupVersionKind]customresource.RegistryFactory{}
	for _, resource := range config.Spec.Resources {
		for i := range resource.Metrics {
			each := &resource.Metrics[i].Each
			each.Type = metric.Type(strings.ToLower(string(each.Type))) // kube-state-metrics does this when it reads the file
		}
		factory, err := customresourcestate.NewCustomResourceMetrics(resource)
		if err != nil {
			t.Fatalf("%s: %v", resource.GroupVersionKind, err)
		}
		made[schema.GroupVersionKind(resource.GroupVersionKind)] = factory
	}
	return made
}

// parents returns the parents of the golden requests with the status of the golden responses, by directory.
func parents(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/sync/*/response.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden response (%v)", err)
	}
	found := map[string]*unstructured.Unstructured{}
	for _, file := range files {
		dir := filepath.Dir(file)
		if filepath.Base(dir) == "size-by-default" {
			continue // the API server would set the default, so it never stores this parent
		}
		parent, _, _ := unstructured.NestedMap(readJSON(t, filepath.Join(dir, "request.json")), "parent")
		status, _, _ := unstructured.NestedMap(readJSON(t, file), "status")
		parent["status"] = status
		found[dir] = &unstructured.Unstructured{Object: parent}
	}
	return found
}

func readJSON(t *testing.T, file string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(content, &value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return value
}

// TestEveryStatusYieldsMetrics checks that every kind has metrics and that none of them is empty, except for those of proxies, and of
// pods that do not exist yet.
func TestEveryStatusYieldsMetrics(t *testing.T) {
	metrics, found := stateMetrics(t), map[string]bool{}
	for dir, parent := range parents(t) {
		factory, ok := metrics[parent.GroupVersionKind()]
		if !ok {
			t.Errorf("%s: custom-resource-state.yaml has no %s", dir, parent.GroupVersionKind())
			continue
		}
		for _, family := range factory.MetricFamilyGenerators() {
			empty := len(family.Generate(parent).Metrics) == 0
			if strings.Contains(family.Name, "_proxy_") || strings.HasSuffix(family.Name, "_pod_info") {
				found[family.Name] = found[family.Name] || !empty
			} else if empty {
				t.Errorf("%s: the metric %s is empty", dir, family.Name)
			}
		}
	}
	for name, some := range found {
		if !some {
			t.Errorf("the metric %s is empty for every status", name)
		}
	}
}

// TestStatusMetrics compares the metrics of a degraded cache, and of one that changes its size, with golden files.
func TestStatusMetrics(t *testing.T) {
	for _, name := range []string{"image-pull-back-off", "proxies-warming-up"} {
		parent := parents(t)["../testdata/memcached/sync/"+name]
		if parent == nil {
			t.Fatalf("the case %s is missing", name)
		}
		wantMetrics(t, parent, "testdata/"+name+".metrics")
	}
}

func wantMetrics(t *testing.T, parent *unstructured.Unstructured, golden string) {
	t.Helper()
	var got strings.Builder
	for _, family := range stateMetrics(t)[parent.GroupVersionKind()].MetricFamilyGenerators() {
		got.Write(family.Generate(parent).ByteSlice())
	}
	if *update {
		write(t, golden, []byte(got.String()))
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the metrics differ from the golden file (-want +got):\n%s", diff)
	}
}

// TestStateMetricsAreAllowed checks that the role grants list and watch for exactly the configured kinds.
func TestStateMetricsAreAllowed(t *testing.T) {
	var role rbacv1.ClusterRole
	read(t, filepath.Join(component, "kube-state-metrics-role.yaml"), &role)
	granted := map[string]bool{}
	for _, rule := range role.Rules {
		if diff := cmp.Diff([]string{"list", "watch"}, rule.Verbs); diff != "" {
			t.Errorf("%v has other verbs than list and watch (-want +got):\n%s", rule.Resources, diff)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				granted[resource+"."+group] = true
			}
		}
	}
	want := map[string]bool{"customresourcedefinitions.apiextensions.k8s.io": true}
	for gvk, factory := range stateMetrics(t) {
		want[factory.Name()+"."+gvk.Group] = true
	}
	if diff := cmp.Diff(want, granted); diff != "" {
		t.Errorf("the role grants other resources (-want +got):\n%s", diff)
	}
}
