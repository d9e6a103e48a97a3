package golden

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// FuzzHooks sends arbitrary bytes to every hook. A hook must refuse them or return a response that Metacontroller can apply.
// A response may have no children only if a recorded response of the same hook has none.
func FuzzHooks(f *testing.F) {
	handler := newHandler()
	hooks := smallest(f)
	slices.SortFunc(hooks, func(a, b fixture) int { return strings.Compare(a.url(), b.url()) })
	childless := map[string]bool{}
	for _, recorded := range fixtures(f) {
		children, _ := parse(f, mustPost(f, handler, recorded.url(), recorded.request))["children"].([]any)
		childless[recorded.url()] = childless[recorded.url()] || len(children) == 0
	}
	for i, hook := range hooks {
		seed := encode(f, seedOf(parse(f, hook.request)))
		mustPost(f, handler, hook.url(), seed)
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		hook := hooks[int(which)%len(hooks)]
		recorder := post(handler, hook.url(), body)
		switch {
		case recorder.Code >= 400 && recorder.Code < 500:
			return
		case recorder.Code != http.StatusOK:
			t.Fatalf("%s: got status code %d with %s", hook.url(), recorder.Code, recorder.Body)
		}
		wantApplicable(t, hook, recorder, body, childless[hook.url()])
	})
}

// wantApplicable fails unless Metacontroller can apply a response.
func wantApplicable(t *testing.T, hook fixture, recorder *httptest.ResponseRecorder, body []byte, childless bool) {
	t.Helper()
	response := parse(t, recorder.Body.Bytes())
	for _, problem := range check.Problems(hook.hook, body, recorder.Body.Bytes()) {
		t.Fatalf("%s: %s: %s", hook.url(), problem, recorder.Body)
	}
	if hook.hook == "customize" {
		return
	}
	if isInvalid(response) {
		wantUnchanged(t, recorder, parse(t, body), "an invalid spec")
		return
	}
	children := response["children"].([]any)
	if len(children) == 0 && !childless {
		t.Fatalf("%s: a 200 without children deletes all children", hook.url())
	}
}

// seedOf returns a recorded request without optional fields, because mutating a large request takes longer than serving it.
func seedOf(request map[string]any) map[string]any {
	parent := request["parent"].(map[string]any)
	metadata := parent["metadata"].(map[string]any)
	seed := map[string]any{
		"controller": map[string]any{"spec": map[string]any{"hooks": map[string]any{"customize": map[string]any{"version": "v2"}}}},
		"finalizing": request["finalizing"],
		"parent": map[string]any{
			"apiVersion": parent["apiVersion"],
			"kind":       parent["kind"],
			"metadata":   map[string]any{"name": metadata["name"], "namespace": metadata["namespace"]},
			"spec":       parent["spec"],
		},
	}
	if seed["finalizing"] == nil {
		delete(seed, "finalizing")
	}
	for _, part := range []string{"children", "related"} {
		groups, ok := request[part].(map[string]any)
		if !ok {
			continue
		}
		empty := map[string]any{}
		for group := range groups {
			empty[group] = map[string]any{}
		}
		seed[part] = empty
	}
	return seed
}
