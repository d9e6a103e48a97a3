package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

// TestRunningRequests: the rules of a few requests run at the same time, however many bodies end together.
func TestRunningRequests(t *testing.T) {
	runTogether(t, maxRunning, func(i int) string { return thingOf(fmt.Sprintf("web-%d", i)) })
}

// TestLargeBodiesTakeTurns: the objects of a few large bodies are in memory at the same time, however many arrive together.
func TestLargeBodiesTakeTurns(t *testing.T) {
	runTogether(t, max(minTurns, runtime.GOMAXPROCS(0)), func(i int) string { return largeThing(fmt.Sprintf("web-%d", i)) })
}

// TestNamespacesTakeTurns: the requests of one namespace do not delay those of others.
func TestNamespacesTakeTurns(t *testing.T) {
	most := newMemory(0).ofNamespace
	runTogether(t, most, func(int) string { return thing })
	runTogether(t, min(most, minTurns), func(int) string { return largeThing("web") })
	// Without the first part, which has the namespace.
	late := `{"future":"` + strings.Repeat("a", 2*smallBytes) + `",`
	runTogether(t, min(most, minTurns), func(i int) string { return late + largeThing(fmt.Sprintf("web-%d", i))[1:] })
}

// TestBusyNamespace: a caller that has waited for another request of its namespace is told when to return.
func TestBusyNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controllers, entered, release := blocked()
		handler := NewHandler(Options{Controllers: controllers})
		var first sync.WaitGroup
		for _, body := range []string{thing, largeThing("web")} {
			for range newMemory(0).ofNamespace {
				first.Go(func() {
					if got := postThing(handler, strings.NewReader(body)); got.Code != http.StatusOK {
						t.Errorf("the first request got %d %s", got.Code, got.Body)
					}
				})
				<-entered
			}
			got := postThing(handler, strings.NewReader(body))
			if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
				t.Errorf("the next request got %d %s and the header %v", got.Code, got.Body, got.Header())
			}
		}
		release()
		first.Wait()
	})
}

// TestCustomizeWaitsForNobody: the caller asks for all parents of all namespaces, one after the other.
func TestCustomizeWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controllers, entered, release := blocked()
		controllers[0].Customize = composite.Customize(func(*metav1.PartialObjectMetadata) []composite.RelatedRule { return nil })
		handler := NewHandler(Options{Controllers: controllers})
		var others sync.WaitGroup
		for i := range maxRunning {
			body := thingOf(fmt.Sprintf("web-%d", i))
			if i == 0 {
				body = largeThing("web-0")
			}
			others.Go(func() { postThing(handler, strings.NewReader(body)) })
			<-entered
		}
		began := time.Now()
		for _, body := range []string{thingOf("web-0"), largeThing("web-0")} {
			if got := post(handler, "/thing/customize", strings.NewReader(body)); got.Code != http.StatusOK || time.Since(began) > 0 {
				t.Errorf("a request of %d bytes got %d %s after %s", len(body), got.Code, got.Body, time.Since(began))
			}
		}
		release()
		others.Wait()
	})
}

// thingOf returns a request for a parent in a namespace, and largeThing a large one.
func thingOf(namespace string) string { return strings.Replace(thing, "web", namespace, 1) }

func largeThing(namespace string) string {
	small := thingOf(namespace)
	return small[:len(small)-1] + `,"future":"` + strings.Repeat("a", 2*smallBytes) + `"}`
}

// runTogether sends twice as many requests as may run at the same time.
func runTogether(t *testing.T, most int, body func(i int) string) {
	t.Helper()
	var running atomic.Int32
	tooMany := make(chan struct{})
	handler := NewHandler(Options{Controllers: thingController(func(thingRequest) (composite.Desired[struct{}], error) {
		defer running.Add(-1)
		if int(running.Add(1)) == most+1 {
			close(tooMany)
		}
		select {
		case <-tooMany:
		case <-time.After(50 * time.Millisecond):
		}
		return composite.Desired[struct{}]{}, nil
	})})
	var requests sync.WaitGroup
	for i := range 2 * most {
		requests.Go(func() {
			if got := postThing(handler, strings.NewReader(body(i))); got.Code != http.StatusOK {
				t.Errorf("a request got %d %s", got.Code, got.Body)
			}
		})
	}
	requests.Wait()
	select {
	case <-tooMany:
		t.Errorf("more than %d requests ran at the same time", most)
	default:
	}
}

// TestPlaces: requests of a namespace take turns, huge and big ones leave a turn to the others, and no request waits for longer than its caller or keeps a
// worker of Metacontroller for long.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		m.places = newPlaces(1)
		for _, test := range []struct {
			reason, namespace string
			length            int64
			waits             time.Duration // then it gets 429
		}{
			{"the first huge body", "a", reserveBytes + 1, 0},
			{"another large body of its namespace waits, and keeps no other place", "a", bigBytes + 1, maxOwnWait},
			{"a small body of its namespace does not wait", "a", 1, 0},
			{"another small body of its namespace waits", "a", 1, maxOwnWait},
			{"another huge body, or one of an unknown length, waits", "b", -1, maxWait},
			{"a big body does not wait for a huge one", "c", bigBytes + 1, 0},
			{"another big body waits", "d", reserveBytes, maxWait},
			{"a large body has the third turn", "e", smallBytes + 1, 0},
			{"all turns are taken", "f", smallBytes + 1, maxWait},
			{"a small body needs no turn", "g", smallBytes, 0},
		} {
			began := time.Now()
			b := &body{memory: m, length: test.length, deadlines: http.NewResponseController(httptest.NewRecorder())}
			err := b.Wait(test.namespace)
			took := time.Since(began)
			if took != test.waits || (err != nil) != (test.waits > 0) {
				t.Errorf("%s: %v after %s, want %s", test.reason, err, took, test.waits)
			}
			if err != nil {
				b.beginResponse(0, true)
			}
		}
		requests := 0
		for _, each := range m.namespaces {
			requests += each.requests
		}
		if requests != 5 {
			t.Errorf("%d requests remain, want the five that have a place", requests)
		}
	})
}

// TestWaits: the time of all waits of a request counts, because its caller gives up.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, began := newMemory(0), time.Now()
		m.places = newPlaces(1)
		m.turns = make(chan struct{})
		own := m.enter("web").large
		own <- struct{}{}
		time.AfterFunc(maxOwnWait/2, func() { <-own })
		err := (&body{memory: m, length: smallBytes + 1}).Wait("web")
		if took := time.Since(began); err != errBusy || took != maxWait { //nolint:errorlint // Wait returns the value itself
			t.Errorf("two places that are taken: %v after %s, want %v after %s", err, took, errBusy, maxWait)
		}
	})
}

// TestWaitForTurn: few requests wait for another one of their namespace that waits for a turn.
func TestWaitForTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		m.places = newPlaces(1)
		m.turns = make(chan struct{})
		wait := func() error { return (&body{memory: m, length: smallBytes + 1}).Wait("web") }
		var others sync.WaitGroup
		for range maxBusyOfOne {
			others.Go(func() { _ = wait() })
		}
		time.Sleep(smallUse + time.Nanosecond)
		began := time.Now()
		if err := wait(); err != errBusy || time.Since(began) > 0 { //nolint:errorlint // Wait returns the value itself
			t.Errorf("the next request: %v after %s, want %v at once", err, time.Since(began), errBusy)
		}
		others.Wait()
	})
}
