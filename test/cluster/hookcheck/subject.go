package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// kept is how many syncs of a parent a subject keeps. The responses of all but the last one have been applied.
const kept = 4

// subject is the hooks of a CompositeController. It forwards the requests of Metacontroller to them.
type subject struct {
	controller map[string]any
	crds       check.CRDs
	call       func(hook string, body []byte, etag string) check.Response
	server     *httptest.Server

	mu    sync.Mutex
	syncs map[types.NamespacedName][]exchange
}

// exchange is a request to the sync hook and its response.
type exchange struct {
	start    time.Time
	request  []byte
	response check.Response
}

// add adds a CompositeController, whose hooks the function calls. Metacontroller gets another URL, no credentials, and a short resync
// period, so that it asks again without a change.
func (r *runner) add(controller map[string]any, crds check.CRDs, call func(string, []byte, string) check.Response) *subject {
	s := &subject{controller: clone(controller), crds: crds, call: call, syncs: map[types.NamespacedName][]exchange{}}
	s.server = httptest.NewServer(s)
	spec := s.controller["spec"].(map[string]any)
	spec["resyncPeriodSeconds"] = int64(1)
	delete(spec, "endpointConfigs")
	for name := range check.Hooks(controller) {
		webhook, _, _ := unstructured.NestedMap(spec, "hooks", name, "webhook")
		for _, field := range []string{"service", "path", "caBundle", "clientTLS", "authorization", "basicAuth", "etag"} {
			delete(webhook, field)
		}
		webhook["url"] = s.server.URL + "/" + name
		_ = unstructured.SetNestedMap(spec, webhook, "hooks", name, "webhook") // the objects around it exist
	}
	r.subjects = append(r.subjects, s)
	return s
}

func (s *subject) close() { s.server.Close() }

func (s *subject) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := exchange{start: time.Now()}
	var err error
	if e.request, err = io.ReadAll(r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	hook := path.Base(r.URL.Path)
	if e.response = s.call(hook, e.request, ""); e.response.Err != nil {
		panic(http.ErrAbortHandler)
	}
	if hook == "sync" {
		s.keep(e)
	}
	if e.response.RetryAfter != "" {
		w.Header().Set("Retry-After", e.response.RetryAfter)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(e.response.Body)))
	w.WriteHeader(e.response.Code)
	_, _ = w.Write(e.response.Body)
}

func (s *subject) keep(e exchange) {
	var request struct {
		Parent struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	_ = json.Unmarshal(e.request, &request) // Metacontroller has encoded it
	s.mu.Lock()
	defer s.mu.Unlock()
	key := types.NamespacedName(request.Parent.Metadata)
	all := append(s.syncs[key], e)
	s.syncs[key] = all[max(0, len(all)-kept):]
}

// last returns the last syncs of a parent.
func (s *subject) last(key types.NamespacedName) []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]exchange{}, s.syncs[key]...)
}

// decoded returns the request and the response of a sync.
func (e exchange) decoded() (request, answer map[string]any) {
	_ = json.Unmarshal(e.request, &request)
	_ = json.Unmarshal(e.response.Body, &answer)
	return request, answer
}

func clone(object map[string]any) map[string]any {
	var copied map[string]any
	_ = json.Unmarshal(encode(object), &copied)
	return copied
}
