package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

func TestGate(t *testing.T) {
	gate := newGate(Options{MaxInFlight: 3, MaxInFlightBytes: 100})
	steps := []struct {
		reason string
		bytes  int64
		ok     bool
	}{
		{"an empty gate", 60, true},
		{"more bytes than are left", 41, false},
		{"a refusal took nothing", 40, true},
		{"a body of nothing takes no bytes", 0, true},
		{"more requests than there may be", 0, false},
	}
	var leave []func()
	for _, step := range steps {
		left, err := gate.enter(step.bytes)
		if (err == nil) != step.ok {
			t.Errorf("%s: %v", step.reason, err)
		}
		if err == nil {
			leave = append(leave, left)
		}
	}
	for _, left := range leave {
		left()
	}
	if gate.inWork != 0 || gate.bytes != 0 {
		t.Errorf("all have left, and %d requests of %d bytes are still counted", gate.inWork, gate.bytes)
	}
}

// held is a controller whose sync hook answers when it is let go.
func held() (controller composite.Controller, entered chan struct{}, letGo func()) {
	entered, held := make(chan struct{}, 16), make(chan struct{})
	hook := composite.Sync(func(composite.Observed[*metav1.PartialObjectMetadata, struct{}, struct{}]) (composite.Desired[struct{}], error) {
		entered <- struct{}{}
		<-held
		return composite.Desired[struct{}]{}, nil
	})
	kind := metav1.SchemeGroupVersion.WithKind("Thing")
	return composite.Controller{Name: "thing", Parent: kind, Sync: hook}, entered, func() { close(held) }
}

const thing = `{"parent":{"apiVersion":"meta.k8s.io/v1","kind":"Thing","metadata":{"name":"a"}},"children":{},"related":{}}`

func postThing(handler http.Handler, body io.Reader) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/thing/sync", body)
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func TestBusy(t *testing.T) {
	unannounced := func() io.Reader { return io.MultiReader(strings.NewReader(thing)) }
	for _, test := range []struct {
		reason  string
		options Options
		body    func() io.Reader
	}{
		{"one request is all that may be in work", Options{MaxInFlight: 1}, unannounced},
		{"bodies add up", Options{MaxInFlightBytes: int64(len(thing)) * 3 / 2}, func() io.Reader { return strings.NewReader(thing) }},
		{"a length that is not announced is the largest", Options{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 1<<20 + 1<<19}, unannounced},
	} {
		controller, entered, letGo := held()
		test.options.Controllers = []composite.Controller{controller}
		handler := NewHandler(test.options)
		first := make(chan int)
		go func() { first <- postThing(handler, test.body()).Code }()
		<-entered
		for range 50 {
			refused := postThing(handler, test.body())
			after, err := strconv.Atoi(refused.Header().Get("Retry-After"))
			if refused.Code != http.StatusTooManyRequests || err != nil || after < 1 || after > 5 {
				t.Fatalf("%s: a second request got %d, Retry-After %q; without one Metacontroller calls again at once", test.reason, refused.Code, refused.Header().Get("Retry-After"))
			}
		}
		letGo()
		if code := <-first; code != http.StatusOK {
			t.Errorf("%s: the first request got %d", test.reason, code)
		}
		if again := postThing(handler, test.body()); again.Code != http.StatusOK {
			t.Errorf("%s: with the first request gone the next one got %d %s", test.reason, again.Code, again.Body)
		}
	}
}

// TestRetryAfterDiffers: all who were refused at once would come back at once.
func TestRetryAfterDiffers(t *testing.T) {
	seen := map[int]bool{}
	for range 1000 {
		seen[retryAfter()] = true
	}
	if len(seen) != 5 {
		t.Errorf("of 1,000 waits there are %d different ones, want 5", len(seen))
	}
}

// unread fails the test when it is read before the answer is written.
type unread struct {
	t      *testing.T
	answer *httptest.ResponseRecorder
}

func (u unread) Read([]byte) (int, error) {
	if u.answer.Body.Len() == 0 {
		u.t.Error("the body was read, though the answer was clear before")
	}
	return 0, io.EOF
}

func TestRefusedUnread(t *testing.T) {
	forbid := func(*http.Request) error { return &callerError{http.StatusForbidden, "no"} }
	for _, test := range []struct {
		reason  string
		options Options
		length  int64
		code    int
	}{
		{"the announced length is too large", Options{Controllers: parents.Controllers(memcached.Config{}), MaxBodyBytes: 10}, 11, 413},
		{"the caller is not let in", Options{Controllers: parents.Controllers(memcached.Config{}), Authorize: forbid}, 10, 403},
	} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, "/memcached/sync", unread{t, recorder})
		request.Header.Set("Content-Type", "application/json")
		request.ContentLength = test.length
		NewHandler(test.options).ServeHTTP(recorder, request)
		if recorder.Code != test.code {
			t.Errorf("%s: %d, want %d", test.reason, recorder.Code, test.code)
		}
	}
}
