package golden

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestInvariantInvalidSpec checks that an invalid spec changes and deletes no child. The hook refuses the request, or returns
// every observed child as it was applied last, with a status that has the reason.
func TestInvariantInvalidSpec(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	tried := map[string]bool{}
	for _, f := range syncFixtures(t) {
		request := parse(t, f.request)
		children := check.ObservedNames(request)
		same := fmt.Sprint(f.controller, request["parent"].(map[string]any)["spec"], children)
		if f.hook != "sync" || f.controller == "xca" || tried[same] {
			continue // the spec of an Xca is never invalid
		}
		tried[same] = true
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			invalid := 0
			for path, request := range mutations(t, encode(t, request)) {
				recorder := post(handler, f.url(), encode(t, request))
				if recorder.Code == http.StatusOK && !isInvalid(parse(t, recorder.Body.Bytes())) {
					continue
				}
				invalid++
				wantUnchanged(t, recorder, request, path)
			}
			if invalid == 0 {
				t.Error("no mutation makes the spec invalid, so this test checks nothing")
			}
		})
	}
}

// mutations yields copies of a request. Each copy has another value in one field of the parent's spec.
func mutations(t *testing.T, body []byte) func(yield func(string, map[string]any) bool) {
	values := []any{-1, 2147483648, "a b", nil}
	return func(yield func(string, map[string]any) bool) {
		spec := parse(t, body)["parent"].(map[string]any)["spec"].(map[string]any)
		for _, leaf := range check.Leaves(spec) {
			for _, value := range values {
				request := parse(t, body)
				in, last := request["parent"].(map[string]any)["spec"].(map[string]any), len(leaf.Path)-1
				for _, name := range leaf.Path[:last] {
					in = in[name].(map[string]any)
				}
				in[leaf.Path[last]] = value
				if !yield(fmt.Sprintf("spec %v = %v", leaf.Path, value), request) {
					return
				}
			}
		}
	}
}

// isInvalid reports whether a response reports an invalid spec in the status.
func isInvalid(body map[string]any) bool {
	_, isObject := body["status"].(map[string]any)
	return isObject && response{body}.condition("Ready").reason == "InvalidSpec"
}

// wantUnchanged fails unless the response to an invalid parent changes no child.
func wantUnchanged(t testing.TB, recorder *httptest.ResponseRecorder, request map[string]any, reason string) {
	t.Helper()
	applied, known := appliedChildren(t, request)
	if recorder.Code != http.StatusOK || !known {
		wantRefused(t, recorder, http.StatusUnprocessableEntity, reason)
		return
	}
	r := response{parse(t, recorder.Body.Bytes())}
	if ready, degraded := r.condition("Ready"), r.condition("Degraded"); !ready.is("False", "InvalidSpec") || !degraded.is("True", "InvalidSpec") {
		t.Errorf("%s: Ready is %v and Degraded %v, want InvalidSpec", reason, ready, degraded)
	}
	returned := map[string]any{}
	for _, child := range r.children() {
		returned[check.NameOf(child)] = child
	}
	if diff := cmp.Diff(applied, returned); diff != "" {
		t.Errorf("%s: the children change (-applied +returned):\n%s", reason, diff)
	}
}

// appliedChildren returns the observed children as they were applied last. It returns false if this is unknown for a child.
func appliedChildren(t testing.TB, request map[string]any) (map[string]any, bool) {
	t.Helper()
	applied, uid := map[string]any{}, request["parent"].(map[string]any)["metadata"].(map[string]any)["uid"]
	for group, objects := range request["children"].(map[string]any) {
		for _, object := range objects.(map[string]any) {
			annotations, _ := object.(map[string]any)["metadata"].(map[string]any)["annotations"].(map[string]any)
			text, _ := annotations[observed.LastAppliedAnnotation].(string)
			var child map[string]any
			if err := json.Unmarshal([]byte(text), &child); err != nil {
				return nil, false
			}
			labels, ok := child["metadata"].(map[string]any)["labels"].(map[string]any)
			if ok && labels["controller-uid"] != uid {
				delete(labels, "controller-uid") // Metacontroller refuses the uid of another parent
			}
			if _, isObject := child["kind"].(string); !isObject {
				t.Fatalf("%s: the annotation %s is not an object", group, observed.LastAppliedAnnotation)
			}
			delete(child, "status") // which an apply does not change
			applied[check.NameOf(child)] = child
		}
	}
	return applied, true
}
