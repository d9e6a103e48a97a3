package monitoring

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

var update = flag.Bool("update", false, "rewrite the golden metrics")

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard()) // kube-state-metrics logs its configuration at each use
	m.Run()
}

// stateMetrics returns the metric factories that kube-state-metrics creates from custom-resource-state.yaml.
func stateMetrics(t *testing.T) lab.StateMetrics {
	t.Helper()
	metrics, err := lab.NewStateMetrics()
	if err != nil {
		t.Fatal(err)
	}
	return metrics
}

// resources returns the resources of the golden requests with the status of the golden responses, by directory.
func resources(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(lab.Golden + "/*/sync/*/response.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden response (%v)", err)
	}
	found := map[string]*unstructured.Unstructured{}
	for _, file := range files {
		dir := filepath.Dir(file)
		if filepath.Base(dir) == "size-by-default" {
			continue // the API server would set the default, so it never stores this resource
		}
		if found[dir], err = lab.GoldenResource(dir); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestEveryStatusYieldsMetrics checks that every kind has metrics and that none of them is empty, except for those of proxies, and of
// pods that do not exist yet.
func TestEveryStatusYieldsMetrics(t *testing.T) {
	metrics, found := stateMetrics(t), map[string]bool{}
	for dir, resource := range resources(t) {
		factory, ok := metrics[resource.GroupVersionKind()]
		if !ok {
			t.Errorf("%s: custom-resource-state.yaml has no %s", dir, resource.GroupVersionKind())
			continue
		}
		for _, family := range factory.MetricFamilyGenerators() {
			empty := len(family.Generate(resource).Metrics) == 0
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
		resource, err := lab.GoldenResource(lab.Golden + "/memcached/sync/" + name)
		if err != nil {
			t.Fatal(err)
		}
		wantMetrics(t, stateMetrics(t).Text(resource), "testdata/"+name+".metrics")
	}
}

func wantMetrics(t *testing.T, got, golden string) {
	t.Helper()
	if *update {
		write(t, golden, []byte(got))
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the metrics differ from the golden file (-want +got):\n%s", diff)
	}
}

// TestStateMetricsAreAllowed checks that the role grants list and watch for exactly the configured kinds.
func TestStateMetricsAreAllowed(t *testing.T) {
	var role rbacv1.ClusterRole
	read(t, filepath.Join(lab.Component, "kube-state-metrics-role.yaml"), &role)
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
