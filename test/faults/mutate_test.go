package main

import (
	"strings"
	"testing"
)

func TestHarm(t *testing.T) {
	const (
		request  = `{"parent":{"metadata":{"name":"a"},"spec":{"size":1}},"children":{"X":{}},"related":{}}`
		response = `{"children":[{"kind":"X","metadata":{"name":"a"},"spec":1},{"kind":"Y","metadata":{"name":"a"}}]}`
	)
	for _, test := range []struct{ reason, path, mutated, got, problem string }{
		{"the same request and response", "/x/sync", request, response, ""},
		{"a child changes with an unknown member", "/x/sync", strings.Replace(request, "{", `{"future":1,`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), "would change"},
		{"a child of the same parent is missing", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "Y a would be deleted"},
		{"a child may change with the observed children", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), ""},
		{"a child may change with status.scaling", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), ""},
		{"a child must not be deleted with status.scaling", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "Y a would be deleted"},
		{"another parent may have other children", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[{"kind":"X","metadata":{"name":"b"}}]}`, ""},
		{"another parent must have children", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[]}`, "every child"},
		{"names are case-sensitive", "/x/sync", strings.Replace(request, `"spec"`, `"Spec"`, 1), `{"children":[]}`, "every child"},
		{"invalid JSON was accepted", "/x/sync", request[1:], response, "invalid JSON"},
		{"a finalize hook may delete children", "/x/finalize", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[]}`, ""},
		{"a finalize hook must be deterministic", "/x/finalize", request, `{"children":[]}`, "would change"},
		{"a rule with labels", "/x/customize", request, `{"relatedResources":[{"labelSelector":{"matchLabels":{"a":"b"}}}]}`, ""},
		{"a rule without labels", "/x/customize", request, `{"relatedResources":[{"labelSelector":{}}]}`, "selects all objects"},
	} {
		got := harm(recorded{test.path, []byte(request)}, []byte(response), []byte(test.mutated), []byte(test.got))
		if (got == "") != (test.problem == "") || !strings.Contains(got, test.problem) {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.problem)
		}
	}
}

func TestSlope(t *testing.T) {
	flat, rising := []sample{{0, 5, 0}, {1, 7, 0}, {2, 5, 0}}, []sample{{0, 1, 0}, {10, 21, 0}, {20, 41, 0}}
	resident := func(s sample) float64 { return s.resident }
	if got := slope(flat, resident); got != 0 {
		t.Errorf("slope of flat samples is %v, want 0", got)
	}
	if got := slope(rising, resident); got != 2 {
		t.Errorf("slope of 20 in 10 s is %v, want 2", got)
	}
}
