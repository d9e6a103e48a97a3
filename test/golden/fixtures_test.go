// Package golden tests the hooks with recorded requests: golden responses, invariants of all responses, and bad input.
package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

var update = flag.Bool("update", false, "rewrite the golden responses")

// now is the time of the hooks in all tests with fixtures.
var now = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)

// testdata has the recorded requests. Other modules read them too. Inputs that fuzzing saves are in testdata of this package.
const testdata = "../testdata"

// fixture is one directory of testdata. The name is <controller>/<hook>/<case>, and the URL is /<controller>/<hook>.
type fixture struct {
	name             string
	controller, hook string
	request          []byte
}

func (f fixture) url() string { return "/" + f.controller + "/" + f.hook }

func (f fixture) responseFile() string { return filepath.Join(testdata, f.name, "response.json") }

// fixtures reads testdata and fails on a file that no test reads.
func fixtures(t testing.TB) []fixture {
	t.Helper()
	var found []fixture
	err := filepath.WalkDir(testdata, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, file := filepath.Split(strings.TrimPrefix(path, testdata+"/"))
		parts := strings.Split(name, "/")
		if len(parts) != 4 || file != "request.json" && file != "response.json" {
			t.Errorf("%s is not <controller>/<hook>/<case>/{request,response}.json: no test reads it", path)
			return nil
		}
		if file == "response.json" {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "request.json")); err != nil {
				t.Errorf("%s has no request.json in its directory", path)
			}
			return nil
		}
		request, err := os.ReadFile(path)
		found = append(found, fixture{name: strings.TrimSuffix(name, "/"), controller: parts[0], hook: parts[1], request: request})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("testdata has no request")
	}
	return found
}

// syncFixtures returns the fixtures of hooks that return children: sync and finalize.
func syncFixtures(t testing.TB) []fixture {
	t.Helper()
	var found []fixture
	for _, f := range fixtures(t) {
		if f.hook != "customize" {
			found = append(found, f)
		}
	}
	return found
}

// operatorImage is the image in manifests/base.
const operatorImage = "ghcr.io/example/memcached-operator:v0.1.0"

func newHandler() http.Handler { return handlerOf(memcached.Config{OperatorImage: operatorImage}) }

func handlerOf(config memcached.Config) http.Handler {
	return server.NewHandler(server.Options{
		Controllers: parents.Controllers(config),
		Now:         func() time.Time { return now },
		// The heap is that of all tests of this process.
		Limits: server.Limits{MaxHeapBytes: 1 << 30},
	})
}

func post(handler http.Handler, url string, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// mustPost posts a request and returns the body of the response, which must be a 200.
func mustPost(t testing.TB, handler http.Handler, url string, body []byte) []byte {
	t.Helper()
	recorder := post(handler, url, body)
	if recorder.Code != http.StatusOK {
		t.Fatalf("POST %s: %d %s", url, recorder.Code, recorder.Body)
	}
	return recorder.Body.Bytes()
}

func parse(t testing.TB, body []byte) map[string]any {
	t.Helper()
	var value map[string]any
	mustDecode(t, body, &value)
	return value
}

func mustDecode(t testing.TB, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("parsing %.80q: %v", body, err)
	}
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
