package webhook

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// TestDecision checks the log line with the decision of a sync.
func TestDecision(t *testing.T) {
	t.Parallel()
	cases := []struct {
		reason, fixture string
		want            map[string]any
	}{
		{"nothing exists", "memcached/sync/created", map[string]any{
			"created": []any{"Deployment/healthy", "Service/healthy", "PodDisruptionBudget/healthy", "NetworkPolicy/healthy"},
			"updated": nil, "deleted": nil, "ready": "False", "reason": "RollingOut",
		}},
		{"nothing changes", "memcached/sync/settled", map[string]any{
			"created": nil, "updated": nil, "deleted": nil, "ready": "True", "reason": "AllReplicasReady",
		}},
		{"the size changes", "memcached/sync/scale-up-requested", map[string]any{
			"created": nil, "updated": []any{"Deployment/healthy spec.replicas"}, "deleted": nil, "ready": "False", "reason": "RollingOut",
		}},
		{"another child changes", "memcached/sync/network-policy-not-updated", map[string]any{
			"created": nil, "updated": []any{"NetworkPolicy/healthy spec.ingress"}, "deleted": nil, "ready": "False", "reason": "NetworkPolicyOutdated",
		}},
		{"the parent is finalized", "customimagedeploy/finalize/all-observed", map[string]any{
			"created": nil, "updated": nil, "deleted": []any{"Ingress/shop"}, "ready": "False", "reason": "Terminating",
		}},
		{"a kind without the condition Ready", "xca/sync/settled", map[string]any{"created": nil, "updated": nil, "deleted": nil}},
	}
	for _, test := range cases {
		request, err := os.ReadFile(filepath.Join("../test/testdata", test.fixture, "request.json"))
		if err != nil {
			t.Fatal(err)
		}
		lines := logOf(t, slog.LevelDebug, "/"+filepath.Dir(test.fixture), request)
		if len(lines) != 2 {
			t.Fatalf("%s: %d log lines, want 2: %v", test.reason, len(lines), lines)
		}
		for _, key := range []string{"request", "parent", "controller", "hook"} {
			if lines[0][key] == "" || lines[0][key] != lines[1][key] {
				t.Errorf("%s: the lines differ in %s: %v and %v", test.reason, key, lines[0][key], lines[1][key])
			}
		}
		if int(lines[0]["bytes"].(float64)) != len(request) || lines[0]["code"].(float64) != http.StatusOK {
			t.Errorf("%s: the first line has another result or size: %v", test.reason, lines[0])
		}
		for key := range lines[1] {
			if _, wanted := test.want[key]; !wanted {
				delete(lines[1], key)
			}
		}
		if diff := cmp.Diff(test.want, lines[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestNoDecision checks that the level info logs no line for a sync.
func TestNoDecision(t *testing.T) {
	t.Parallel()
	request, err := os.ReadFile("../test/testdata/memcached/sync/created/request.json")
	if err != nil {
		t.Fatal(err)
	}
	if lines := logOf(t, slog.LevelInfo, "/memcached/sync", request); len(lines) > 0 {
		t.Errorf("logged %v", lines)
	}
}

// logOf returns the log lines of one request.
func logOf(t *testing.T, level slog.Level, url string, body []byte) []map[string]any {
	t.Helper()
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
	request := httptest.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	NewHandler(Options{Controllers: parents.Controllers(memcached.Config{}), Logger: logger}).ServeHTTP(httptest.NewRecorder(), request)
	var lines []map[string]any
	for decoder := json.NewDecoder(&log); decoder.More(); {
		var line map[string]any
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}
