package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestRefusedByTheHookToo: every parent that the API server refuses is refused by the hook, which may meet one that was
// stored before a rule was there. The table is the one that test/manifests holds the CustomResourceDefinitions against.
func TestRefusedByTheHookToo(t *testing.T) {
	handler := newHandler()
	requests := map[string]fixture{}
	for _, f := range smallest(t) {
		if f.hook == "sync" {
			requests[kindOf(t, parse(t, f.request)["parent"])] = f
		}
	}
	for _, file := range refusedFiles(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Why         string          `json:"why"`
			Parent      json.RawMessage `json:"parent"`
			Was         json.RawMessage `json:"was"`
			ReadsAbsent bool            `json:"readsAsAbsent"`
		}
		if err := yaml.Unmarshal(raw, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			if c.Was != nil || c.ReadsAbsent {
				continue // the hook does not see what was, nor tell an empty text from none
			}
			f, found := requests[kindOf(t, parse(t, c.Parent))]
			if !found {
				t.Fatalf("%s: no request of testdata is about such a parent: %s", file, c.Parent)
			}
			request := parse(t, f.request)
			parent := parse(t, c.Parent)
			parent["metadata"].(map[string]any)["namespace"] = "default"
			request["parent"] = parent
			wantUnchanged(t, post(handler, f.url(), encode(t, request)), request, c.Why)
		}
	}
}

func refusedFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("manifests/testdata/refused/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no table of refused parents: %v", err)
	}
	return files
}

func kindOf(t *testing.T, parent any) string {
	t.Helper()
	kind, ok := parent.(map[string]any)["kind"].(string)
	if !ok {
		t.Fatalf("a parent without a kind: %v", parent)
	}
	return kind
}
