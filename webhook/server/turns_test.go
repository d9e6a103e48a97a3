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
	cpus := runtime.GOMAXPROCS(0)
	runTogether(t, cpus, func(int) string { return thing })
	runTogether(t, min(cpus, minTurns), func(int) string { return largeThing("web") })
	// Without the first part, which has the namespace.
	late := `{"future":"` + strings.Repeat("a", 2*smallBytes) + `",`
	runTogether(t, min(cpus, minTurns), func(i int) string { return late + largeThing(fmt.Sprintf("web-%d", i))[1:] })
}

// TestBusyNamespace: a caller that has waited for another request of its namespace is told when to return.
func TestBusyNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controllers, entered, release := blocked()
		handler := NewHandler(Options{Controllers: controllers})
		var first sync.WaitGroup
		for _, body := range []string{thing, largeThing("web")} {
			for range runtime.GOMAXPROCS(0) {
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
		if len(m.namespaces) != 5 {
			t.Errorf("%d places of namespaces remain, want those of the five requests that have one", len(m.namespaces))
		}
	})
}

// TestWaits: the time of all waits of a request counts, because its caller gives up.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, began := newMemory(0), time.Now()
		m.places = newPlaces(1)
		m.turns = make(chan struct{})
		other, _ := m.enter(namespaceKey{"web", true})
		other <- struct{}{}
		time.AfterFunc(maxOwnWait/2, func() { <-other })
		err := (&body{memory: m, length: smallBytes + 1}).Wait("web")
		if took := time.Since(began); err != errBusy || took != maxWait { //nolint:errorlint // Wait returns the value itself
			t.Errorf("two places that are taken: %v after %s, want %v after %s", err, took, errBusy, maxWait)
		}
	})
}

// TestUse: requests of a namespace do not wait for each other after they have run for long, unless those of another one have run for twice as long.
func TestUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, key, other := newPlaces(1), namespaceKey{"web", true}, namespaceKey{"busy", false}
		for _, test := range []struct {
			reason string
			after  time.Duration
			key    namespaceKey
			runs   time.Duration
			want   bool
		}{
			{"nothing has run", 0, key, smallUse, true},
			{"the first request has run for as long as others may wait", 0, key, smallUse, true},
			{"both have run for longer", 0, key, 2 * smallUse, false},
			{"half of it counts after the half-life", halfLife, key, 0, false},
			{"a quarter of it counts after another one", halfLife, key, 2 * smallUse, true},
			{"this is too much", 0, key, 0, false},
			{"another namespace has run for less than twice as long", 0, other, 5 * smallUse, true},
			{"so it is still too much", 0, key, 0, false},
			{"another namespace may not wait", 0, other, 2 * smallUse, false},
			{"it has run for twice as long now", 0, key, 0, true},
		} {
			time.Sleep(test.after)
			if _, got := p.enter(test.key); got != test.want {
				t.Errorf("%s: a request may wait: %t, want %t", test.reason, got, test.want)
			}
			p.leave(test.key, test.runs)
		}
		time.Sleep(20 * halfLife)
		p.enter(key)
		p.leave(key, 0)
		if len(p.namespaces) != 0 {
			t.Errorf("%d places of namespaces remain that use no time", len(p.namespaces))
		}
	})
}
