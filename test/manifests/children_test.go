package manifests

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// variant is a case of testdata/children/*.yaml: a parent with an unusual spec.
type variant struct {
	// Why is the reason why the API server accepts or refuses the children.
	Why string `json:"why"`
	// Kind is Memcached by default.
	Kind string `json:"kind,omitempty"`
	// Spec overrides fields in the spec of a plain parent.
	Spec map[string]any `json:"spec"`
	// Field is the field that the hook's error must name.
	Field string `json:"field,omitempty"`
}

// plainParents has a valid parent of each kind, whose spec variants override.
var plainParents = map[string]struct {
	apiVersion, hook string
	spec             map[string]any
}{
	"Memcached":         {"cache.example.com/v1alpha1", "memcached", map[string]any{"size": int64(2)}},
	"Nginx":             {"proxy.example.com/v1alpha1", "nginx", map[string]any{"count": int64(2)}},
	"CustomImageDeploy": {"customimagedeploy.example.com/v1", "customimagedeploy", map[string]any{"image": "shop:1", "port": int64(80)}},
}

func (v variant) parent(t *testing.T) map[string]any {
	t.Helper()
	if v.Kind == "" {
		v.Kind = "Memcached"
	}
	base, ok := plainParents[v.Kind]
	if !ok {
		t.Fatalf("no plain parent of kind %s", v.Kind)
	}
	spec := maps.Clone(base.spec)
	maps.Copy(spec, v.Spec)
	return reread(t, map[string]any{
		"apiVersion": base.apiVersion, "kind": v.Kind, "spec": spec,
		"metadata": map[string]any{"name": "cache", "namespace": "web", "generation": int64(1), "uid": "9c3ed3b6-a3b1-4d77-8d7d-1b1c8f5f2d11"},
	})
}

// TestChildrenAreAccepted checks that the CRD and the hook accept unusual parents, and that the API server accepts their
// children and pods.
func TestChildrenAreAccepted(t *testing.T) {
	known := kinds(t)
	for _, v := range variants(t, "accepted") {
		parent := v.parent(t)
		_, _, problems := kindOf(t, known, parent).admit(t, parent, nil)
		for _, problem := range problems {
			t.Errorf("%s: %v: the CRD refuses it: %s", v.Why, v.Spec, problem)
		}
		response := sync(t, parent)
		if !accepted(response) {
			t.Errorf("%s: %v: the hook refuses it: %s", v.Why, v.Spec, response.Body)
			continue
		}
		expectAccepted(t, v, response.Body.Bytes())
	}
}

// TestParentsAreRefused checks that a hook refuses a parent if the API server would refuse a child. The hook's error must name
// the field.
func TestParentsAreRefused(t *testing.T) {
	for _, v := range variants(t, "refused") {
		response := sync(t, v.parent(t))
		switch {
		case accepted(response):
			t.Errorf("%s: %v: the hook accepts it", v.Why, v.Spec)
			expectAccepted(t, v, response.Body.Bytes())
		case response.Code != http.StatusOK && response.Code != http.StatusUnprocessableEntity:
			t.Errorf("%s: %v: got status code %d, want 200 or 422: %s", v.Why, v.Spec, response.Code, response.Body)
		case v.Field == "" || !strings.Contains(response.Body.String(), v.Field):
			t.Errorf("%s: %v: the error does not name %q: %s", v.Why, v.Spec, v.Field, response.Body)
		}
	}
}

// accepted reports whether a hook accepts a spec. The status of an invalid spec has the reason InvalidSpec.
func accepted(response *httptest.ResponseRecorder) bool {
	return response.Code == http.StatusOK && !strings.Contains(response.Body.String(), `"reason":"InvalidSpec"`)
}

// TestWarmupIsAccepted checks that the API server accepts the Job that copies items.
func TestWarmupIsAccepted(t *testing.T) {
	file := glob(t, "test/testdata/memcached/sync/proxies-copied/request.json")[0] // the Job remains, whatever the time is
	jobs := 0
	for _, child := range children(t, "/memcached/sync", file) {
		if child.GetKind() != "Job" {
			continue
		}
		jobs++
		if err := created(t, child.Object); err != nil {
			t.Errorf("the API server refuses the Job: %v", err)
		}
	}
	if jobs != 1 {
		t.Errorf("the response has %d Jobs", jobs)
	}
}

func expectAccepted(t *testing.T, v variant, body []byte) {
	t.Helper()
	var response struct {
		Children []map[string]any `json:"children"`
	}
	if err := json.Unmarshal(body, &response); err != nil {
		t.Fatal(err)
	}
	if len(response.Children) == 0 {
		t.Errorf("%s: no children", v.Why)
	}
	for _, child := range response.Children {
		if err := created(t, child); err != nil {
			t.Errorf("%s: %v: the API server refuses a child: %v", v.Why, v.Spec, err)
		}
	}
}

func variants(t *testing.T, outcome string) []variant {
	t.Helper()
	var found []variant
	for _, file := range glob(t, "test/manifests/testdata/children/"+outcome+"*.yaml") {
		var cases []variant
		read(t, file, &cases)
		found = append(found, cases...)
	}
	return found
}

// sync sends a parent without children to its sync hook. The request has the groups of a recorded request.
func sync(t *testing.T, parent map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	kind := parent["kind"].(string)
	files := glob(t, "test/testdata/"+plainParents[kind].hook+"/sync/*/request.json")
	request := readObject(t, files[0])
	for _, part := range []string{"children", "related"} {
		for group := range request[part].(map[string]any) {
			request[part].(map[string]any)[group] = map[string]any{}
		}
	}
	request["parent"] = parent
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return post("/"+plainParents[kind].hook+"/sync", body)
}

// post sends a request to a hook.
func post(url string, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	server.NewHandler(server.Options{
		Controllers: parents.Controllers(memcached.Config{OperatorImage: "ghcr.io/example/memcached-operator:v0.1.0"}),
	}).ServeHTTP(response, request)
	return response
}

// TestLargeAnnotations checks that the hook refuses a spec with annotations above a limit. Below the limit the API server must accept them
// together with Metacontroller's annotation, which is a copy of the child.
func TestLargeAnnotations(t *testing.T) {
	cases := []struct {
		reason   string
		value    string
		accepted bool
	}{
		{"letters, which JSON does not escape", strings.Repeat("a", 15<<10), true},
		{"more letters", strings.Repeat("a", 17<<10), false},
		{"signs, which JSON escapes to six bytes each", strings.Repeat("<", 2<<10), true},
		{"more signs", strings.Repeat("<", 3<<10), false},
	}
	for _, test := range cases {
		annotations := map[string]any{"example.com/large": test.value}
		v := variant{Why: test.reason, Spec: map[string]any{"podAnnotations": annotations, "service": map[string]any{"annotations": annotations}}}
		response := sync(t, v.parent(t))
		if got := accepted(response); got != test.accepted {
			t.Errorf("%s: accepted is %t, want %t", test.reason, got, test.accepted)
			continue
		}
		if test.accepted {
			v.Spec = nil // too large to print
			expectAccepted(t, v, response.Body.Bytes())
		}
	}
}
