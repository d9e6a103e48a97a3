package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// testRun has the parents that the test creates in one cluster.
type testRun struct {
	*runner
	crds   []map[string]any
	create []func(context.Context) error
}

// addBroken adds a parent with a hook that has a defect, and returns its kind.
func (r *testRun) addBroken(id string, change func(hook string, request, answer map[string]any)) string {
	kind := "Broken" + strings.ReplaceAll(id, "-", "")
	resource := strings.ToLower(kind)
	r.crds = append(r.crds, decode(fmt.Sprintf(crdYAML, resource, kind)))
	s := r.add(decode(fmt.Sprintf(controllerYAML, resource)), nil, func(hook string, body []byte, _ string) check.Response {
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			return check.Response{Code: http.StatusBadRequest}
		}
		answer := good(hook, request)
		change(hook, request, answer)
		return check.Response{Code: http.StatusOK, Body: encode(answer)}
	})
	sample := decode(fmt.Sprintf("{apiVersion: example.com/v1, kind: %s, metadata: {name: a}, spec: {replicas: 2}}", kind))
	r.create = append(r.create, func(ctx context.Context) error { return r.runner.create(ctx, s, sample, nil) })
	return kind
}

// addOwn adds the samples of this repository.
func (r *testRun) addOwn(t *testing.T) {
	t.Helper()
	handler, samples := newHandler(), readAll(t, "../../../manifests/samples/*.yaml")
	own := readAll(t, "../../../crds/*/*_*.yaml")
	r.crds = append(r.crds, own...)
	var definitions check.CRDs
	for _, crd := range own {
		var err error
		if definitions, err = definitions.Add(encode(crd)); err != nil {
			t.Fatal(err)
		}
	}
	for _, controller := range readAll(t, "../../../manifests/controllers/*/compositecontroller.yaml") {
		found, _, err := (&check.Subject{CRDs: definitions}).Parents(controller, samples)
		if err != nil || len(found) == 0 {
			t.Fatalf("%d samples: %v", len(found), err)
		}
		hooks := check.Hooks(controller)
		s := r.add(controller, definitions, func(hook string, body []byte, _ string) check.Response {
			request := httptest.NewRequest(http.MethodPost, hooks[hook].Path, bytes.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			return check.Response{Code: response.Code, Body: response.Body.Bytes(), RetryAfter: response.Header().Get("Retry-After")}
		})
		for _, sample := range found {
			r.create = append(r.create, func(ctx context.Context) error { return r.runner.create(ctx, s, sample, secrets()) })
		}
	}
}

// findings runs all checks, and returns the IDs of those with findings about each parent.
func (r *testRun) findings(t *testing.T) map[string][]string {
	t.Helper()
	if err := r.start(t.Context(), r.crds); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.cluster.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for _, each := range r.create {
		if err := each(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	report, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range report.Findings {
		if t.Logf("%s: %s: %s", f.Case, f.Check, f.Message); !slices.Contains(found[f.Case], f.Check) {
			found[f.Case] = append(found[f.Case], f.Check)
		}
	}
	return found
}

// TestChecks checks that each check finds its broken hook and that no other one does, and that the good hook and the four hooks of
// this repository have no findings.
func TestChecks(t *testing.T) {
	r, want := &testRun{runner: new(runner)}, map[string][]string{}
	for id, change := range broken {
		if kind := r.addBroken(id, change); id != "" {
			want[kind+" a"] = []string{id}
		}
	}
	r.addOwn(t)
	if diff := cmp.Diff(want, r.findings(t)); diff != "" {
		t.Errorf("checks with findings (-want +got):\n%s", diff)
	}
	for _, c := range checks {
		if broken[c.ID] == nil {
			t.Errorf("no broken hook for %s", c.ID)
		}
	}
}

func newHandler() http.Handler {
	return server.NewHandler(server.Options{
		Controllers: parents.Controllers(memcached.Config{OperatorImage: "memcached-operator:test"}),
		Limits:      server.Limits{MaxHeapBytes: 1 << 30}, // the heap is that of the test
	})
}

// secrets returns the Secrets of the secure sample.
func secrets() []map[string]any {
	issuer := ca.New()
	certificate, key := issuer.Issue(ca.Subject{DNSName: "memcached-secure"})
	secret := func(name string, data map[string]any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name}, "stringData": data}
	}
	return []map[string]any{
		secret("memcached-secure-tls", map[string]any{"tls.crt": string(certificate), "tls.key": string(key), "ca.crt": string(issuer.PEM())}),
		secret("memcached-secure-users", map[string]any{"passwords": "app@memcached-secure:secret\n"}),
	}
}

// TestProgram checks a hook as an owner of a hook does.
func TestProgram(t *testing.T) {
	hook := httptest.NewServer(newHandler())
	defer hook.Close()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./test/hookcheck", "--cluster", "--controller", "manifests/controllers/nginx",
		"--crds", "crds/nginx", "--samples", "manifests/samples/proxy_v1alpha1_nginx.yaml", hook.URL)
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "36 checks of 5 requests: 0 findings") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// readAll reads the objects of YAML files with one document each.
func readAll(t *testing.T, pattern string) (objects []map[string]any) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, decode(string(content)))
	}
	return objects
}

// TestPage checks that the page has a row for each check.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../hookcheck/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if row := fmt.Sprintf("| `%s` | %s | %s |", c.ID, c.Looks, c.Why); !strings.Contains(string(page), row) {
			t.Errorf("README.md does not have the row\n%s", row)
		}
	}
}
