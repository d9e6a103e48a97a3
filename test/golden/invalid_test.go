package golden

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestInvariantInvalidSpec checks that an invalid spec changes and deletes no child. The hook refuses the request, or returns
// children of which an apply changes nothing, with a status that has the reason.
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
		if strings.Contains(string(f.request), mirrorRegistry) {
			continue // an apply changes the image, and the policy changes it back
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
	if recorder.Code != http.StatusOK || !hasLastApplied(request) {
		wantRefused(t, recorder, http.StatusUnprocessableEntity, reason)
		return
	}
	r := response{parse(t, recorder.Body.Bytes())}
	if ready, degraded := r.condition("Ready"), r.condition("Degraded"); !ready.is("False", "InvalidSpec") || !degraded.is("True", "InvalidSpec") {
		t.Errorf("%s: Ready is %v and Degraded %v, want InvalidSpec", reason, ready, degraded)
	}
	next, _ := check.CRDs(nil).Apply(request, r.body)
	if diff := cmp.Diff(withoutLastApplied(request), withoutLastApplied(next)); diff != "" {
		t.Errorf("%s: the children change (-before +after):\n%s", reason, diff)
	}
}

// hasLastApplied reports whether each observed child has its last applied configuration.
func hasLastApplied(request map[string]any) bool {
	for child := range observedChildren(request) {
		text, _ := annotationsOf(child)[observed.LastAppliedAnnotation].(string)
		if !json.Valid([]byte(text)) {
			return false
		}
	}
	return true
}

// withoutLastApplied returns copies of the observed children without the annotation that each apply may write, and without the label that
// Metacontroller adds.
func withoutLastApplied(request map[string]any) map[string]any {
	children := map[string]any{}
	for child := range observedChildren(request) {
		child := runtime.DeepCopyJSON(child)
		delete(annotationsOf(child), observed.LastAppliedAnnotation)
		unstructured.RemoveNestedField(child, "metadata", "labels", "controller-uid")
		unstructured.RemoveNestedField(child, "metadata", "resourceVersion")
		children[check.NameOf(child)] = child
	}
	return children
}

func observedChildren(request map[string]any) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, objects := range request["children"].(map[string]any) {
			for _, object := range objects.(map[string]any) {
				if !yield(object.(map[string]any)) {
					return
				}
			}
		}
	}
}

func annotationsOf(child map[string]any) map[string]any {
	annotations, _ := child["metadata"].(map[string]any)["annotations"].(map[string]any)
	return annotations
}
