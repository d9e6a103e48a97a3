package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAuditLog checks the request counts that README publishes for two controllers.
func TestAuditLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	log := &auditLog{path: path, user: "metacontroller"}
	const (
		status    = `{"verb":"update","user":{"username":"metacontroller"},"objectRef":{"resource":"memcacheds","subresource":"status"}}` + "\n"
		create    = `{"verb":"create","user":{"username":"metacontroller"},"objectRef":{"resource":"deployments"}}` + "\n"
		other     = `{"verb":"create","user":{"username":"operator"},"objectRef":{"resource":"deployments"}}` + "\n"
		discovery = `{"verb":"get","user":{"username":"metacontroller"}}` + "\n"
	)
	steps := []struct {
		reason, written string
		want            map[request]int
	}{
		{"counts only requests of the user", status + create + other + status + discovery,
			map[request]int{{"update", "memcacheds/status"}: 2, {"create", "deployments"}: 1}},
		{"counts each request once", "", map[request]int{}},
		{"ignores an incomplete line", create[:20], map[request]int{}},
		{"counts the line when it is complete", create[20:], map[request]int{{"create", "deployments"}: 1}},
	}
	for _, step := range steps {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(step.written); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := log.next()
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got, step.want) {
			t.Errorf("%s: got %v, want %v", step.reason, got, step.want)
		}
	}
}

func TestParseCalls(t *testing.T) {
	const metrics = `# TYPE hook_requests_total counter
hook_requests_total{code="200",controller="memcached",hook="sync"} 7
hook_requests_total{code="429",controller="memcached",hook="sync"} 2
hook_requests_total{code="200",controller="memcached",hook="customize"} 1
hook_requests_total{code="200",controller="nginx",hook="sync"} 100
`
	got, err := parseCalls(strings.NewReader(metrics))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"sync": 9, "customize": 1}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v: all codes, but no other controllers", got, want)
	}
}

// TestTable checks that a missing figure is not shown as 0.
func TestTable(t *testing.T) {
	ours := phase{
		deployments: time.Second, statuses: 2 * time.Second, settled: 3 * time.Second, controller: 4 * time.Second, hook: time.Second,
		requests: map[request]int{{"create", "deployments"}: 10, {"get", "memcacheds"}: 25}, calls: map[string]int{"sync": 25},
	}
	theirs := phase{deployments: time.Second, statuses: time.Second, controller: time.Second, requests: map[request]int{{"create", "deployments"}: 10}}
	var table strings.Builder
	writeTable(&table, 10, []result{{variant: variant{name: "ours"}, created: ours}, {variant: variant{name: "theirs"}, created: theirs}})
	for _, row := range []string{
		"| all parents ready after | 3.0 s | – |",
		"| CPU time of the hook | 1.0 s (25%) | – |",
		"| calls of sync | 2.50 | – |",
		"| create deployments | 1.00 | 1.00 |",
		"| get memcacheds | 2.50 | – |",
	} {
		if !strings.Contains(table.String(), row+"\n") {
			t.Errorf("no row %q in:\n%s", row, &table)
		}
	}
}
