package monitoring

import (
	"net/http"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// operatorMetrics starts the program, sends a request, and returns the names of its metrics.
func operatorMetrics(t *testing.T) []string {
	t.Helper()
	operator, err := lab.StartOperator(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(operator.Stop)
	if err := operator.Sync(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		// The operator counts the request a moment after the response.
		if names := scrape(t, operator.Ops); slices.Contains(names, "memcached_operator_requests_total") {
			return names
		}
	}
	t.Fatal("the operator did not count the request")
	return nil
}

// scrape returns the names of the metrics at an address.
func scrape(t *testing.T, address string) []string {
	t.Helper()
	scraped, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer scraped.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(scraped.Body)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, family := range families {
		names = append(names, name)
		if family.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, name+"_bucket", name+"_sum", name+"_count")
		}
	}
	return names
}
