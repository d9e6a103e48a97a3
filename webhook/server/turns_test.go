package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

// TestRunningRequests: the rules of a few requests run at the same time, however many arrive together, large or not, of one namespace or of many.
func TestRunningRequests(t *testing.T) {
	for _, body := range []func(i int) string{
		func(int) string { return thing },
		func(i int) string { return thingOf(fmt.Sprintf("web-%d", i)) },
		func(int) string { return largeThing("web") },
		func(i int) string { return largeThing(fmt.Sprintf("web-%d", i)) },
		func(i int) string { // without a first part that has the namespace
			return `{"future":"` + strings.Repeat("a", 2*smallBytes) + `",` + largeThing(fmt.Sprintf("web-%d", i))[1:]
		},
	} {
		runTogether(t, body)
	}
}

// TestWaits: a request that waits for too long for others is told when to return, also if it waits again and again.
func TestWaits(t *testing.T) {
	for _, body := range []string{thing, largeThing("web")} {
		synctest.Test(t, func(t *testing.T) {
			controllers, entered, release := blocked()
			handler := NewHandler(Options{Controllers: controllers})
			var first sync.WaitGroup
			for range newMemory(0).cpus {
				first.Go(func() {
					if got := postThing(handler, strings.NewReader(body)); got.Code != http.StatusOK {
						t.Errorf("the first request got %d %s", got.Code, got.Body)
					}
				})
				<-entered
			}
			began := time.Now()
			got := postThing(handler, strings.NewReader(body))
			if took := time.Since(began); got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" || took != maxWait {
				t.Errorf("the next request got %d %s and the header %v after %s, want 429 after %s", got.Code, got.Body, got.Header(), took, maxWait)
			}
			release()
			first.Wait()
		})
	}
}

// TestSlowCaller: while a request that has begun waits for its caller, others run, and it waits for them, but not for longer than maxWait in all.
func TestSlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(1 << 40)
		m.queue = newQueue(1)
		slow := &body{ReadCloser: io.NopCloser(&slowReader{}), memory: m, length: smallBytes + 1, deadlines: http.NewResponseController(httptest.NewRecorder())}
		if err := slow.Wait("web"); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < int(maxWait/time.Second); i++ {
			time.AfterFunc(500*time.Millisecond, func() {
				other := m.enter("calm", 1)
				if <-other.decision == nil {
					time.AfterFunc(1500*time.Millisecond, func() { m.leave(other, 0) })
				}
			})
			slow.start = time.Now()
			if n, err := slow.Read(make([]byte, 1)); n != 1 || slow.waited != time.Duration(i)*time.Second {
				t.Fatalf("part %d: %v after waits of %s", i, err, slow.waited)
			}
		}
		calm := m.enter("calm", 1)
		began := time.Now()
		if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, errBusy) || time.Since(began) != 2*time.Second {
			t.Errorf("%v after %s, want %v after a second for the caller and one for others", err, time.Since(began), errBusy)
		}
		m.leave(calm, 0)
		for range 2 {
			if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, errBusy) {
				t.Errorf("the next read: %v, want %v", err, errBusy)
			}
		}
	})
}

// slowReader reads a byte in a second, and misses the first deadline.
type slowReader struct{ late bool }

func (r *slowReader) Read(p []byte) (int, error) {
	r.late = !r.late
	if r.late {
		time.Sleep(prompt)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(time.Second - prompt)
	return copy(p, "["), nil
}

// TestPromptCaller: between the parts of a body that arrive at once, only requests run whose namespaces have used less.
func TestPromptCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(1 << 40)
		m.queue = newQueue(1)
		content := io.NopCloser(strings.NewReader("[[["))
		prompt := &body{ReadCloser: content, memory: m, start: time.Now(), length: smallBytes + 1, deadlines: http.NewResponseController(httptest.NewRecorder())}
		if err := prompt.Wait("web"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		more := m.enter("more", 1)
		more.used, more.at = 60*time.Millisecond, time.Now()
		for range 2 {
			if n, err := prompt.Read(make([]byte, 1)); n != 1 || more.runs {
				t.Fatalf("another request that has used more runs: %t; %v", more.runs, err)
			}
		}
		less := m.enter("less", 1)
		time.AfterFunc(20*time.Millisecond, func() { m.leave(less, 0) })
		if n, err := prompt.Read(make([]byte, 1)); n != 1 || !less.begun || prompt.waited != 20*time.Millisecond {
			t.Errorf("a request that has used nothing has run: %t; %v after %s", less.begun, err, prompt.waited)
		}
	})
}

// TestCustomizeWaitsForNobody: the caller asks for all parents of all namespaces, one after the other.
func TestCustomizeWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controllers, entered, release := blocked()
		controllers[0].Customize = composite.Customize(func(*metav1.PartialObjectMetadata) []composite.RelatedRule { return nil })
		handler := NewHandler(Options{Controllers: controllers})
		var others sync.WaitGroup
		for i := range newMemory(0).cpus {
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
func runTogether(t *testing.T, body func(i int) string) {
	t.Helper()
	most := newMemory(0).cpus
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
