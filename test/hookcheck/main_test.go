package main

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// TestParents checks the hooks of this repository as an owner of a hook does.
func TestParents(t *testing.T) {
	handler := newHandler()
	controllers, err := filepath.Glob("../../manifests/controllers/*/compositecontroller.yaml")
	if err != nil || len(controllers) != 4 {
		t.Fatalf("%d controllers, not 4: %v", len(controllers), err)
	}
	for _, controller := range controllers {
		t.Run(filepath.Base(filepath.Dir(controller)), func(t *testing.T) {
			t.Parallel()
			hook := httptest.NewServer(handler)
			defer hook.Close()
			var out bytes.Buffer
			if code := run([]string{"--controller", controller, "--samples", "../../manifests/samples", "--crds", "../../crds", hook.URL}, &out, &out); code != passed {
				t.Errorf("exit code %d:\n%s", code, out.String())
			}
		})
	}
}

func newHandler() http.Handler {
	return server.NewHandler(server.Options{
		Controllers: parents.Controllers(memcached.Config{OperatorImage: "memcached-operator:test"}),
		Limits:      server.Limits{MaxHeapBytes: 1 << 30}, // the heap is that of the test
	})
}

// TestRequests checks a hook with recorded requests, and names their files.
func TestRequests(t *testing.T) {
	t.Parallel()
	args := []string{"--controller", nginx[1], "--crds", nginx[5], "--requests", "../testdata/nginx"}
	for _, test := range []struct {
		hook http.Handler
		code int
		want string
	}{
		{newHandler(), passed, "29 checks of "},
		{http.HandlerFunc(broken), foundProblems, "customize/hook-v1/request.json"},
	} {
		hook := httptest.NewServer(test.hook)
		defer hook.Close()
		var out bytes.Buffer
		if code := run(append(args, hook.URL), &out, &out); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("exit code %d, want %d and %q:\n%s", code, test.code, test.want, out.String())
		}
	}
}

// TestList checks that samples may be the output of kubectl get.
func TestList(t *testing.T) {
	t.Parallel()
	list := ca.Write(t.TempDir(), "list.yaml", []byte(`{kind: List, items: [{apiVersion: proxy.example.com/v1alpha1, kind: Nginx, metadata: {name: a}, spec: {count: 2}}]}`))
	hook := httptest.NewServer(newHandler())
	defer hook.Close()
	var out bytes.Buffer
	if code := run(append(nginx, "--samples", list, hook.URL), &out, &out); code != passed || !strings.Contains(out.String(), "29 checks of 5 requests") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
}

// TestServers checks that each hook gets its requests, at its own server and with its query.
func TestServers(t *testing.T) {
	t.Parallel()
	urls := make(chan string, 1000)
	serve := func(name string) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			urls <- name + r.URL.String()
			broken(w, r)
		}))
	}
	first, second := serve("first"), serve("second")
	defer first.Close()
	defer second.Close()
	controller := ca.Write(t.TempDir(), "two.yaml", []byte(`
{kind: CompositeController, metadata: {name: other}, spec: {}}
---
{kind: CompositeController, metadata: {name: a}, spec: {generateSelector: true, parentResource: {apiVersion: proxy.example.com/v1alpha1, resource: nginxes},
  hooks: {sync: {webhook: {url: "http://a:8080/sync?b=c"}}, finalize: {webhook: {url: "http://a:8081/"}}}}}`))
	var out bytes.Buffer
	recorded := t.TempDir()
	code := run(append(nginx, "--record", recorded, "--controller", controller, "--name", "a", "-o", "responses", "--hook", "finalize="+second.URL, first.URL), &out, &out)
	if code != foundProblems || !strings.Contains(out.String(), "# sync of Nginx nginx-sample\nstatus: {}\n---\n") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
	for _, hook := range []string{"sync", "finalize"} {
		if _, err := os.Stat(filepath.Join(recorded, hook, "nginx-nginx-sample", "request.json")); err != nil {
			t.Error(err)
		}
	}
	first.Close()
	second.Close()
	close(urls)
	seen := map[string]bool{}
	for url := range urls {
		seen[url] = true
	}
	if diff := cmp.Diff(map[string]bool{"first/sync?b=c": true, "second/": true}, seen); diff != "" {
		t.Errorf("called URLs (-want +got):\n%s", diff)
	}
}

// TestPage checks that the page has a row for each check.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range check.Checks {
		if row := fmt.Sprintf("| `%s` | %s | %s |", c.ID, c.Looks, c.Why); !strings.Contains(string(page), row) {
			t.Errorf("README.md does not have the row\n%s", row)
		}
	}
}

func TestPeakOf(t *testing.T) {
	t.Parallel()
	if own, none := peakOf(os.Getpid()), peakOf(-1); own < 1<<20 || none != 0 {
		t.Errorf("the peak of this process is %d bytes, and that of none %d", own, none)
	}
}

// TestCredentials checks that a hook gets the bearer token and the client certificate.
func TestCredentials(t *testing.T) {
	t.Parallel()
	dir, authority := t.TempDir(), ca.New()
	certificate, key := authority.Issue(ca.Subject{CommonName: "metacontroller"})
	hook := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "wrong token", http.StatusUnauthorized)
			return
		}
		broken(w, r)
	}))
	hook.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool()}
	hook.StartTLS()
	defer hook.Close()
	args := append(nginx,
		"--ca", ca.Write(dir, "ca", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw})),
		"--cert", ca.Write(dir, "cert", certificate), "--key", ca.Write(dir, "key", key), hook.URL)
	for _, test := range []struct {
		token string
		want  string
	}{{"secret\n", "response-fields"}, {"other", "responds"}} {
		var out bytes.Buffer
		code := run(append(args, "--token-file", ca.Write(dir, "token", []byte(test.token))), &out, &out)
		if code != foundProblems || !strings.Contains(out.String(), test.want) || test.want != "responds" && strings.Contains(out.String(), "responds ") {
			t.Errorf("token %q: exit code %d:\n%s", test.token, code, out.String())
		}
	}
}

func TestNotChecked(t *testing.T) {
	t.Parallel()
	empty, dir := t.TempDir(), t.TempDir()
	decorator := ca.Write(dir, "decorator.yaml", []byte("{kind: DecoratorController, metadata: {name: service-per-pod}}"))
	old := ca.Write(dir, "old.yaml", []byte("{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: boxes.example.com}}"))
	servers := ca.Write(dir, "servers.yaml", []byte(`{kind: CompositeController, metadata: {name: a}, spec: {hooks: {
  sync: {webhook: {url: "http://a:8080/sync"}}, finalize: {webhook: {url: "http://a:8081/"}}}}}`))
	hook := httptest.NewServer(http.HandlerFunc(broken))
	defer hook.Close()
	for _, test := range []struct{ args, want string }{
		{"", "exactly one argument"},
		{hook.URL, "--controller is required: set the file with the CompositeController"},
		{"--controller ../../manifests/controllers/nginx " + hook.URL, "--samples or --requests is required"},
		{strings.Join(nginx, " ") + " -o yaml " + hook.URL, `not "yaml"`},
		{strings.Join(nginx, " ") + " http://127.0.0.1:1", "hook is not running"},
		{strings.Join(nginx, " ") + " 127.0.0.1", "not a URL with a host"},
		{strings.Join(nginx, " ") + " --controller ../../manifests/controllers " + hook.URL, "has the CompositeControllers customimagedeploy"},
		{strings.Join(nginx, " ") + " --controller ../../crds " + hook.URL, "has no CompositeController"},
		{strings.Join(nginx, " ") + " --controller " + decorator + " " + hook.URL, "has the DecoratorController service-per-pod: hookcheck checks CompositeControllers only"},
		{strings.Join(nginx, " ") + " --crds " + old + " " + hook.URL, "boxes.example.com has the version v1beta1"},
		{strings.Join(nginx, " ") + " --controller " + servers + " " + hook.URL, "on different servers"},
		{strings.Join(nginx, " ") + " --crds " + empty + " " + hook.URL, "add its CRD to --crds"},
		{strings.Join(nginx, " ") + " --samples " + empty + " " + hook.URL, "no request and no parent"},
		{strings.Join(nginx, " ") + " --samples missing " + hook.URL, "no such file"},
		{strings.Join(nginx, " ") + " --cert missing " + hook.URL, "client certificate"},
	} {
		var out bytes.Buffer
		if code := run(strings.Fields(test.args), io.Discard, &out); code != notChecked || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: exit code %d, want %q:\n%s", test.args, code, test.want, out.String())
		}
	}
}
