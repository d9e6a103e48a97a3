package monitoring

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// namespace and cache are what a user selects in the dashboard.
const namespace, cache = "shop", "web|images"

// forAllCaches are the rows about programs that serve all caches, whose metrics name no cache.
var forAllCaches = []string{"Operator, for all caches", "Metacontroller, for all caches"}

func readDashboard(t *testing.T) lab.Dashboard {
	t.Helper()
	dashboard, err := lab.ReadDashboard()
	if err != nil {
		t.Fatal(err)
	}
	return dashboard
}

// TestDashboard checks what Grafana does not report: panels with the same ID, without a description or a query, or with a fixed data
// source.
func TestDashboard(t *testing.T) {
	ids := map[int]bool{}
	for _, panel := range readDashboard(t).Panels {
		if ids[panel.ID] {
			t.Errorf("%s: another panel has the ID %d", panel.Title, panel.ID)
		}
		ids[panel.ID] = true
		if panel.Type == "row" {
			continue
		}
		if panel.Description == "" || len(panel.Targets) == 0 {
			t.Errorf("%s: the description or the query is missing", panel.Title)
		}
		for _, target := range panel.Targets {
			if target.Datasource["uid"] != "${datasource}" {
				t.Errorf("%s: the data source is %q, want the variable of the dashboard", panel.Title, target.Datasource["uid"])
			}
		}
	}
}

// TestPanelsAreAboutTheSelection runs each query in a Prometheus that scrapes two caches and other programs. It checks that the query
// has results, that they are about the selected caches, and that there are none for another selection.
// A server without items has the memory 0: its exporter reports none.
func TestPanelsAreAboutTheSelection(t *testing.T) {
	interval := 200 * time.Millisecond
	running, err := lab.Start(t.Context(), interval)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
	dashboard := readDashboard(t)
	if len(dashboard.Annotations.List) == 0 {
		t.Fatal("the dashboard does not mark the phases of moves")
	}
	for _, panel := range append(dashboard.Panels, lab.Panel{Title: "marks", Targets: dashboard.Annotations.List}) {
		for _, target := range panel.Targets {
			name := panel.Title + " " + target.RefID
			for _, sample := range wantData(t, running, name, target.Query(namespace, cache, 10*interval)) {
				wantSelected(t, name, sample.Metric)
			}
			if slices.Contains(forAllCaches, panel.Row) {
				continue
			}
			for _, other := range [][2]string{{namespace, "missing"}, {"missing", cache}} {
				found, err := running.Instant(t.Context(), target.Query(other[0], other[1], 10*interval))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(found) > 1 || len(found) == 1 && found[0].F != 0 { // a panel with a number has zero
					t.Errorf("%s: results for the namespace %s and the cache %s: %v", name, other[0], other[1], found)
				}
			}
		}
	}
	memory, err := dashboard.Panel("Item memory by server")
	if err != nil {
		t.Fatal(err)
	}
	wantData(t, running, "the server without items", memory.Targets[0].Query(namespace, cache, 10*interval)+" == 0")
}

// wantData returns the first result of a query that is not empty.
func wantData(t *testing.T, running *lab.Lab, name, query string) promql.Vector {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, err := running.Instant(t.Context(), query)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(found) > 0 {
			return found
		}
	}
	t.Errorf("%s: no result", name)
	return nil
}

// wantSelected checks that the labels of a result name no cache and no pod that is not selected.
func wantSelected(t *testing.T, name string, result labels.Labels) {
	t.Helper()
	for _, label := range []string{"memcached_cr", "name", "pod"} {
		value := result.Get(label)
		if value != "" && !strings.HasPrefix(value, "web") && !strings.HasPrefix(value, "images") && !strings.HasPrefix(value, "memcached-operator-") {
			t.Errorf("%s: a result for %s, which is not selected", name, result)
		}
	}
}
