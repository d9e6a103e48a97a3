// Package faults tests the hooks with the faults of networks and callers. The tests of input run in process, with go test
// ./... The tests with the build tag faults start the program on loopback and take minutes; make faults runs
// them. README.md has the figures.
package faults

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

var long = flag.Bool("long", false, "run all tests for as long as the figures in README.md need")

// recorded is a recorded request without white space, and the path of its hook.
type recorded struct {
	path string
	body []byte
}

// recordings returns all recorded requests, and the smallest of each hook.
func recordings(t *testing.T) (all []recorded, smallest map[string]recorded) {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/*/*/request.json") // <controller>/<hook>/<case>
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded requests:", err)
	}
	smallest = map[string]recorded{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		hook := filepath.Dir(filepath.Dir(file))
		r := recorded{"/" + filepath.Base(filepath.Dir(hook)) + "/" + filepath.Base(hook), compact.Bytes()}
		all = append(all, r)
		if shortest, found := smallest[r.path]; !found || len(r.body) < len(shortest.body) {
			smallest[r.path] = r
		}
	}
	return all, smallest
}

// newHandler returns a handler of all hooks. The limit of the heap is high because the heap is also that of the tests.
func newHandler() http.Handler {
	now := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	return server.NewHandler(server.Options{
		Controllers: parents.Controllers(memcached.Config{}),
		Now:         func() time.Time { return now },
		Limits:      server.Limits{MaxHeapBytes: 1 << 30},
	})
}

func post(handler http.Handler, path string, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// isRefusal reports whether a response has the code 400 and one plain sentence.
func isRefusal(r *httptest.ResponseRecorder) bool {
	sentence := r.Body.String()
	return r.Code == http.StatusBadRequest && len(sentence) >= 10 && len(sentence) <= 500 && strings.Count(sentence, "\n") == 1
}

// concurrently calls f for each request, on all CPUs.
func concurrently(all []recorded, f func(i int, r recorded)) {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(all); i += workers {
				f(i, all[i])
			}
		})
	}
	group.Wait()
}
