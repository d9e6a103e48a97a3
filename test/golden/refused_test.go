package golden

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestHookRefusesWhatTheCRDRefuses checks the cases of test/manifests/testdata/refused with the hooks. A hook can get such a
// parent if it was stored before the CRD had the rule. Package validation has the reasons for a rule that is in both.
func TestHookRefusesWhatTheCRDRefuses(t *testing.T) {
	t.Parallel()
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
			OnlyCRD     bool            `json:"onlyCRD"`
		}
		if err := yaml.Unmarshal(raw, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			if c.Was != nil || c.ReadsAbsent {
				continue // the hook does not see the old object, and reads an empty string as absent
			}
			f, found := requests[kindOf(t, parse(t, c.Parent))]
			if !found {
				t.Fatalf("%s: testdata has no request for this kind of parent: %s", file, c.Parent)
			}
			request := parse(t, f.request)
			parent := parse(t, c.Parent)
			parent["metadata"].(map[string]any)["namespace"] = "default"
			request["parent"] = parent
			recorder := post(handler, f.url(), encode(t, request))
			if c.OnlyCRD {
				if recorder.Code != http.StatusOK || isInvalid(parse(t, recorder.Body.Bytes())) {
					t.Errorf("%s: the hook refuses what only the CRD refuses: %d %s", c.Why, recorder.Code, recorder.Body)
				} else if len(parse(t, recorder.Body.Bytes())["children"].([]any)) == 0 {
					t.Errorf("%s: a 200 without children deletes all children", c.Why)
				}
				continue
			}
			wantUnchanged(t, recorder, request, c.Why)
		}
	}
}

func refusedFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../manifests/testdata/refused/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no file with refused parents: %v", err)
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
