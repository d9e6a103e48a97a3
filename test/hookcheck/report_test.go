package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// broken serves a hook that returns no children.
func broken(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":{}}`) }

var nginx = []string{"--controller", "../../manifests/controllers/nginx", "--samples", "../../manifests/samples", "--crds", "../../crds"}

func TestFormats(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(broken))
	defer hook.Close()
	outputs := map[string]string{}
	for format := range formats {
		var out bytes.Buffer
		if code := run(append(nginx, "-o", format, hook.URL), &out, &out); code != foundProblems {
			t.Fatalf("%s: exit code %d: %s", format, code, out.String())
		}
		outputs[format] = out.String()
	}
	var decoded struct{ Findings []check.Finding }
	if err := json.Unmarshal([]byte(outputs["json"]), &decoded); err != nil {
		t.Fatal(err)
	}
	var suite testSuite
	if err := xml.Unmarshal([]byte(outputs["junit"]), &suite); err != nil {
		t.Fatal(err)
	}
	failures := map[string][]string{}
	for _, test := range suite.Cases {
		for _, f := range test.Failures {
			failures[test.Name] = append(failures[test.Name], f.Message)
		}
	}
	want := map[string][]string{}
	for _, f := range decoded.Findings {
		want[f.Check] = append(want[f.Check], f.Case+": "+f.Message)
		if !strings.Contains(outputs["table"], f.Message) {
			t.Errorf("the table does not have %v", f)
		}
	}
	if diff := cmp.Diff(want, failures); diff != "" || len(want["response-fields"]) == 0 {
		t.Errorf("failures (-json +junit):\n%s", diff)
	}
}

// TestOutputIsPrintable checks that no text of a hook is executed by a terminal, or changes the order of other characters.
func TestOutputIsPrintable(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "clear \x1b[2J \u009b2J, reverse \u202e")
	}))
	defer hook.Close()
	for format := range formats {
		var out bytes.Buffer
		run(append(nginx, "-o", format, hook.URL), &out, &out)
		if !strings.Contains(out.String(), "reverse") {
			t.Errorf("%s: no text of the hook:\n%s", format, out.String())
		}
		if at := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("%s: %q", format, out.String()[at:min(at+40, out.Len())])
		}
	}
}
