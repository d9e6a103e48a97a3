package server

import (
	"fmt"
	"hash/maphash"
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
	runTogether(t, maxRunning, func(int) string { return thing })
}

// TestLargeBodiesTakeTurns: the objects of a few large bodies are in memory at the same time, however many arrive together.
func TestLargeBodiesTakeTurns(t *testing.T) {
	runTogether(t, max(minTurns, runtime.GOMAXPROCS(0)), func(i int) string { return largeThing(fmt.Sprintf("web-%d", i)) })
}

// TestNamespacesTakeTurns: the large bodies of one namespace do not delay those of others.
func TestNamespacesTakeTurns(t *testing.T) {
	runTogether(t, 1, func(int) string { return largeThing("web") })
	// Without the first part, which has the namespace.
	late := `{"future":"` + strings.Repeat("a", 2*smallBytes) + `",`
	runTogether(t, 1, func(i int) string { return late + largeThing(fmt.Sprintf("web-%d", i))[1:] })
}

// TestBusyNamespace: a caller that has waited for another request of its namespace is told when to return.
func TestBusyNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controllers, entered, release := blocked()
		handler := NewHandler(Options{Controllers: controllers})
		var first sync.WaitGroup
		first.Go(func() {
			if got := postThing(handler, strings.NewReader(largeThing("web"))); got.Code != http.StatusOK {
				t.Errorf("the first request got %d %s", got.Code, got.Body)
			}
		})
		<-entered
		got := postThing(handler, strings.NewReader(largeThing("web")))
		if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
			t.Errorf("the second request got %d %s and the header %v", got.Code, got.Body, got.Header())
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
			body := thing
			if i == 0 {
				body = largeThing("web")
			}
			others.Go(func() { postThing(handler, strings.NewReader(body)) })
			<-entered
		}
		began := time.Now()
		for _, body := range []string{thing, largeThing("web")} {
			if got := post(handler, "/thing/customize", strings.NewReader(body)); got.Code != http.StatusOK || time.Since(began) > 0 {
				t.Errorf("a request of %d bytes got %d %s after %s", len(body), got.Code, got.Body, time.Since(began))
			}
		}
		release()
		others.Wait()
	})
}

// largeThing returns a large request for a parent in a namespace.
func largeThing(namespace string) string {
	return strings.Replace(thing[:len(thing)-1], "web", namespace, 1) + `,"future":"` + strings.Repeat("a", 2*smallBytes) + `"}`
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

// TestPlaces: large bodies of a namespace take turns, huge and big ones leave a turn to the others, and no request waits for longer than its caller.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		m.turns = make(chan struct{}, minTurns)
		for places := map[chan struct{}]bool{}; len(places) < len("abcdef"); { // until no two of them share a place
			m.seed = maphash.MakeSeed()
			clear(places)
			for _, namespace := range "abcdef" {
				places[m.placeOf(string(namespace))] = true
			}
		}
		for _, test := range []struct {
			reason, namespace string
			length            int64
			want              error
		}{
			{"the first huge body", "a", reserveBytes + 1, nil},
			{"another large body of its namespace waits, and keeps no other place", "a", bigBytes + 1, errBusy},
			{"another huge body, or one of an unknown length, waits", "b", -1, errBusy},
			{"a big body does not wait for a huge one", "c", bigBytes + 1, nil},
			{"another big body waits", "d", reserveBytes, errBusy},
			{"a large body has the third turn", "e", smallBytes, nil},
			{"all turns are taken", "f", smallBytes, errBusy},
		} {
			began := time.Now()
			b := &body{memory: m, length: test.length, deadlines: http.NewResponseController(httptest.NewRecorder())}
			err := b.Wait(test.namespace)
			took := time.Since(began)
			if err != test.want || err != nil && took != maxWait { //nolint:errorlint // Wait returns the value itself
				t.Errorf("%s: %v after %s, want %v", test.reason, err, took, test.want)
			}
			if err != nil {
				b.beginResponse(0, true)
			}
		}
	})
}

// TestWaits: the time of all waits of a request counts, because its caller gives up.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, began := newMemory(0), time.Now()
		m.turns = make(chan struct{})
		m.placeOf("web") <- struct{}{}
		time.AfterFunc(maxWait/2, func() { <-m.placeOf("web") })
		err := (&body{memory: m, length: smallBytes}).Wait("web")
		if took := time.Since(began); err != errBusy || took != maxWait { //nolint:errorlint // Wait returns the value itself
			t.Errorf("two places that are taken: %v after %s, want %v after %s", err, took, errBusy, maxWait)
		}
	})
}
