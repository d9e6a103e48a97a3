package main

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const (
		request = `{"parent":{"metadata":{"name":"a"},"spec":{"size":1}},"children":{"X":{}},"related":{}}`
		answer  = `{"children":[{"kind":"X","metadata":{"name":"a"},"spec":1},{"kind":"Y","metadata":{"name":"a"}}]}`
	)
	for _, test := range []struct{ reason, path, mutated, got, complaint string }{
		{"the same", "/x/sync", request, answer, ""},
		{"what no rule reads differs, and a child changes", "/x/sync", strings.Replace(request, "{", `{"future":1,`, 1), strings.Replace(answer, `"spec":1`, `"spec":2`, 1), "would change"},
		{"a child is gone, though its parent is the same", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "Y a would be deleted"},
		{"a child may change with what is observed", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), strings.Replace(answer, `"spec":1`, `"spec":2`, 1), ""},
		{"a child may change with the step of scaling that status tells", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), strings.Replace(answer, `"spec":1`, `"spec":2`, 1), ""},
		{"but must not go with it", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "Y a would be deleted"},
		{"another parent has other children", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[{"kind":"X","metadata":{"name":"b"}}]}`, ""},
		{"but not none", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[]}`, "every child"},
		{"a name in another case is another name", "/x/sync", strings.Replace(request, `"spec"`, `"Spec"`, 1), `{"children":[]}`, "every child"},
		{"what cannot be read was answered", "/x/sync", request[1:], answer, "cannot be read"},
		{"a finalize hook deletes", "/x/finalize", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[]}`, ""},
		{"but the same at the same time", "/x/finalize", request, `{"children":[]}`, "would change"},
		{"a rule with labels", "/x/customize", request, `{"relatedResources":[{"labelSelector":{"matchLabels":{"a":"b"}}}]}`, ""},
		{"a rule without", "/x/customize", request, `{"relatedResources":[{"labelSelector":{}}]}`, "selects everything"},
	} {
		got := judge(recorded{test.path, []byte(request)}, []byte(answer), []byte(test.mutated), []byte(test.got))
		if (got == "") != (test.complaint == "") || !strings.Contains(got, test.complaint) {
			t.Errorf("%s: judged %q, want %q", test.reason, got, test.complaint)
		}
	}
}

func TestSlope(t *testing.T) {
	flat, rising := []sample{{0, 5, 0}, {1, 7, 0}, {2, 5, 0}}, []sample{{0, 1, 0}, {10, 21, 0}, {20, 41, 0}}
	resident := func(s sample) float64 { return s.resident }
	if got := slope(flat, resident); got != 0 {
		t.Errorf("up and down again is flat, not %v", got)
	}
	if got := slope(rising, resident); got != 2 {
		t.Errorf("20 in 10 s is 2 a second, not %v", got)
	}
}
