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
	"sync"
	"testing"
)

// proxy stands between Metacontroller and the hook. It counts the syncs of each parent, and answers badly in the hook's
// place for the parents of a namespace whose test asks for that.
type proxy struct {
	server *httptest.Server
	next   http.Handler

	mu     sync.Mutex
	faults map[string]fault // by the parent's namespace and the hook's name
	calls  map[string]int   // by the hook's name and the parent's namespace and name
}

// fault answers a request in the place of the hook. The request's body can still be read.
type fault func(w http.ResponseWriter, r *http.Request, hook http.Handler)

func newProxy(host string) (*proxy, error) {
	p := &proxy{faults: map[string]fault{}, calls: map[string]int{}}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	p.server = httptest.NewUnstartedServer(p)
	_ = p.server.Listener.Close() // its own choice, always loopback
	p.server.Listener = listener
	p.server.Start()
	return p, nil
}

// front is what the cluster calls to learn where Metacontroller finds the hook.
func (p *proxy) front(hookURL string) (string, error) {
	target, err := url.Parse(hookURL)
	if err != nil {
		return "", err
	}
	p.next = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// A hook that is gone gives no answer at all.
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
			Metadata struct{ Namespace, Name string }
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		panic(http.ErrAbortHandler)
	}
	parent, hook := request.Parent.Metadata, path.Base(r.URL.Path)
	p.mu.Lock()
	bad := p.faults[parent.Namespace+"/"+hook]
	p.calls[hook+" "+parent.Namespace+"/"+parent.Name]++
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bad != nil {
		bad(w, r, p.next)
		return
	}
	p.next.ServeHTTP(w, r)
}

// fail makes a hook, sync or customize, fail for all parents of the namespace until the returned function is called or
// the test ends.
func (p *proxy) fail(t *testing.T, namespace, hook string, f fault) (recoverNow func()) {
	set := func(f fault) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults[namespace+"/"+hook] = f
	}
	set(f)
	recoverNow = func() { set(nil) }
	t.Cleanup(recoverNow)
	return recoverNow
}

// syncsOf counts the calls of the sync hook for a parent so far.
func (p *proxy) syncsOf(namespace, name string) int { return p.callsOf("sync", namespace, name) }

// callsOf counts the calls of a hook for a parent so far.
func (p *proxy) callsOf(hook, namespace, name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[hook+" "+namespace+"/"+name]
}
