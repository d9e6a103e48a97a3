package monitoring

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// hookMetrics starts the program, sends a request, and returns the names of its metrics.
func hookMetrics(t *testing.T) []string {
	t.Helper()
	hooks, ops := startHook(t)
	request, err := os.ReadFile("../testdata/memcached/sync/created/request.json")
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post("http://"+hooks+"/memcached/sync", "application/json", bytes.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the hook returned %s", response.Status)
	}
	_, _ = io.Copy(io.Discard, response.Body) // the hook counts the request a moment after the response
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if names := scrape(t, ops); slices.Contains(names, "memcached_operator_requests_total") {
			return names
		}
	}
	t.Fatal("the hook did not count the request")
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

// startHook builds and starts the program on free ports of loopback. It returns both addresses.
func startHook(t *testing.T) (hooks, ops string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "memcached-operator")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "../.."
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, output)
	}
	serve := exec.CommandContext(t.Context(), program, "serve", "--address=127.0.0.1:0", "--ops-address=127.0.0.1:0", "--log-format=json")
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	serve.WaitDelay = 10 * time.Second
	log, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct {
			Address string `json:"address"`
			Ops     string `json:"ops-address"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Ops != "" {
			return line.Address, line.Ops
		}
	}
	t.Fatalf("the program ended before it served: %v", lines.Err())
	return "", ""
}
