//go:build faults

package faults

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// probeInterval is the time between two probes of readiness. On a cluster it is 2 s, and a pod drains for 5 s. Here both are 2.5
// times as fast.
const probeInterval = 800 * time.Millisecond

// TestRestart replaces two instances one after the other under load, as a Deployment does, and then kills one.
func TestRestart(t *testing.T) {
	rounds := 2
	if *long {
		rounds = 10
	}
	startPod := func() *program { return start(t, "--shutdown-delay=2s", "--shutdown-timeout=15s") }
	first, second := startPod(), startPod()
	s := new(service)
	s.set(first, second)
	s.probe()

	restarted := s.load(t, func() {
		for range 2 * rounds {
			third := startPod()
			s.set(first, second, third)
			pause(t.Context(), 2*probeInterval) // until it is ready
			first.drain(t)
			first, second = second, third
			s.set(first, second)
		}
	})
	t.Logf("two instances replaced one after the other, %d times: codes %v, %d of %d syncs lost", rounds, restarted.codes, restarted.lost, restarted.lost+restarted.done)
	restarted.wantOnly(t, 200)

	killed := s.load(t, func() {
		if err := first.Kill(); err != nil {
			t.Error(err)
		}
		pause(t.Context(), 4*probeInterval)
		s.set(second)
	})
	t.Logf("one of two instances killed: %d syncs called again, %d of %d lost", killed.retried, killed.lost, killed.lost+killed.done)
	if restarted.lost+killed.lost > 0 {
		t.Error("syncs were lost")
	}
}

// service simulates a Service: it routes requests to the pods that were ready at the last probe.
type service struct {
	mutex       sync.Mutex
	pods, ready []*program
	next        int
}

func (s *service) set(pods ...*program) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pods = pods
}

// probe calls /readyz of every pod, as the kubelet does.
func (s *service) probe() {
	s.mutex.Lock()
	pods := s.pods
	s.mutex.Unlock()
	var ready []*program
	for _, pod := range pods {
		response, err := http.Get("http://" + pod.ops + "/readyz")
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			ready = append(ready, pod)
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.ready = ready
}

// url returns the URL of the next ready pod.
func (s *service) url() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.ready) == 0 {
		return "http://127.0.0.1:1" // nothing listens on this port
	}
	s.next++
	return s.ready[s.next%len(s.ready)].url()
}

// load sends syncs while change replaces or kills pods.
func (s *service) load(t *testing.T, change func()) *client {
	t.Helper()
	c, body := newClient(new(http.Transport)), requests.Sync(100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// Of four callers, at most three wait at an instance. If more wait, it refuses syncs: webhook/server/refuse.go.
	waitForSyncs := loop(ctx, 4, func(int) {
		c.sync(t.Context(), s.url, body)
		pause(ctx, 10*time.Millisecond)
	})
	waitForProbes := loop(ctx, 1, func(int) { pause(ctx, probeInterval); s.probe() })
	change()
	cancel()
	waitForSyncs()
	waitForProbes()
	return c
}
