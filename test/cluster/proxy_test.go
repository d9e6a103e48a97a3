package cluster

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// proxy forwards requests from Metacontroller to the hook and counts them for each parent. Tests inject faults for the
// parents of their namespace.
type proxy struct {
	server *httptest.Server
	next   http.Handler

	mu     sync.Mutex
	faults map[string]fault // by the parent's namespace and the hook's name
	calls  map[string]int   // by the hook's name and the parent's namespace and name
	// pods has the names of the pods in the first sync request of each generation of a parent, and in the last request, whose
	// generation is 0.
	pods map[generation][]string
}

type generation struct {
	namespace, name string
	number          int64
}

// fault responds to a request instead of the hook. The request's body is not consumed yet.
type fault func(w http.ResponseWriter, r *http.Request, hook http.Handler)

func newProxy(host string) (*proxy, error) {
	p := &proxy{faults: map[string]fault{}, calls: map[string]int{}, pods: map[generation][]string{}}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	p.server = httptest.NewUnstartedServer(p)
	_ = p.server.Listener.Close() // the default listener, always loopback
	p.server.Listener = listener
	p.server.Start()
	return p, nil
}

// replaceURL implements Options.ReplaceURL.
func (p *proxy) replaceURL(hookURL string) (string, error) {
	target, err := url.Parse(hookURL)
	if err != nil {
		return "", err
	}
	p.next = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// A stopped hook sends no response.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return p.server.URL, nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var request struct {
		Parent struct {
			Metadata struct {
				Namespace, Name string
				Generation      int64
			}
		}
		Related map[string]map[string]metav1.PartialObjectMetadata
	}
	if err := json.Unmarshal(body, &request); err != nil {
		panic(http.ErrAbortHandler)
	}
	parent, hook := request.Parent.Metadata, path.Base(r.URL.Path)
	p.mu.Lock()
	inject := p.faults[parent.Namespace+"/"+hook]
	p.calls[hook+" "+parent.Namespace+"/"+parent.Name]++
	if hook == "sync" {
		p.record(generation{parent.Namespace, parent.Name, parent.Generation}, request.Related["Pod.v1"])
	}
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if inject != nil {
		inject(w, r, p.next)
		return
	}
	p.next.ServeHTTP(w, r)
}

func (p *proxy) record(parent generation, pods map[string]metav1.PartialObjectMetadata) {
	names := []string{}
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	if _, found := p.pods[parent]; !found {
		p.pods[parent] = names
	}
	parent.number = 0
	p.pods[parent] = names
}

// podsOf returns the sorted names of the pods in the first sync request of a generation of the parent, or with the generation 0
// in the last request.
func (p *proxy) podsOf(namespace, name string, number int64) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pods[generation{namespace, name, number}]
}

// fail injects a fault into a hook, sync or customize, for all parents of the namespace until the test calls stop or ends.
func (p *proxy) fail(t *testing.T, namespace, hook string, f fault) (stop func()) {
	set := func(f fault) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults[namespace+"/"+hook] = f
	}
	set(f)
	stop = func() { set(nil) }
	t.Cleanup(stop)
	return stop
}

// syncsOf returns the number of calls of the sync hook for a parent.
func (p *proxy) syncsOf(namespace, name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls["sync "+namespace+"/"+name]
}
