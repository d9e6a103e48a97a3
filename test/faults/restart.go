package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// service simulates a Service: it routes requests to the pods that were ready at the last probe.
type service struct {
	mutex sync.Mutex
	pods  []*server
	ready []*server
	next  atomic.Int64
}

// probe calls /readyz of every pod, as the kubelet does.
func (s *service) probe(ctx context.Context) {
	s.mutex.Lock()
	pods := s.pods
	s.mutex.Unlock()
	var ready []*server
	for _, pod := range pods {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+pod.ops+"/readyz", nil)
		if err != nil {
			continue
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			ready = append(ready, pod)
		}
	}
	s.mutex.Lock()
	s.ready = ready
	s.mutex.Unlock()
}

func (s *service) replace(old, pod *server) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var pods []*server
	for _, each := range s.pods {
		if each != old {
			pods = append(pods, each)
		}
	}
	if pod != nil {
		pods = append(pods, pod)
	}
	s.pods = pods
}

func (s *service) pick() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.ready) == 0 {
		return "127.0.0.1:1" // nothing listens on this port
	}
	return s.ready[int(s.next.Add(1))%len(s.ready)].address
}

func (s *service) isReady(pod *server) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, each := range s.ready {
		if each == pod {
			return true
		}
	}
	return false
}

// syncs counts the results of syncs with the retries of Metacontroller.
type syncs struct {
	tries               tally
	done, retried, lost atomic.Int64
}

// sync calls the hook until it succeeds, with a backoff of 5 ms, 10 ms and so on, or the Retry-After of a 429.
func (y *syncs) sync(ctx context.Context, c *client, pods *service, body []byte) {
	backoff := 5 * time.Millisecond
	for try := range 12 { // the last wait is 10 s
		began := time.Now()
		got, err := c.post(ctx, "http://"+pods.pick()+syncPath, body)
		y.tries.add(got.code, time.Since(began), err)
		if err == nil && got.code == http.StatusOK {
			y.done.Add(1)
			return
		}
		if try == 0 {
			y.retried.Add(1)
		}
		if got.code == http.StatusTooManyRequests {
			pause(ctx, got.retryAfter)
			continue
		}
		pause(ctx, backoff)
		backoff *= 2
	}
	y.lost.Add(1)
}

// rollingRestart replaces two pods one after the other, as a Deployment does, and then kills one.
func rollingRestart(ctx context.Context, s suite) ([]result, error) {
	rounds := 2
	if s.long {
		rounds = 10
	}
	startPod := func() (*server, error) {
		return start(ctx, s.binary, "-shutdown-delay=2s", "-shutdown-timeout=15s")
	}
	pods := new(service)
	for range 2 {
		pod, err := startPod()
		if err != nil {
			return nil, err
		}
		pods.replace(nil, pod)
	}
	defer func() {
		for _, pod := range pods.pods {
			pod.kill()
		}
	}()
	pods.probe(ctx)
	body := requests.Sync(100)
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	// On a cluster the readinessProbe runs every 2 s and a pod drains for 5 s. Here both are 2.5 times as fast.
	watching := loop(watch, 1, func(int) { pause(watch, 800*time.Millisecond); pods.probe(watch) })

	// load sends syncs while change replaces or kills pods.
	load := func(change func() error) (*syncs, error) {
		counts := new(syncs)
		c := newClient(2, nil)
		busy, stop := context.WithCancel(ctx)
		wait := loop(busy, 6, func(int) {
			counts.sync(ctx, c, pods, body)
			pause(busy, 10*time.Millisecond)
		})
		err := change()
		stop()
		wait()
		return counts, err
	}
	restarted, err := load(func() error { return replaceAll(ctx, pods, rounds, startPod) })
	if err != nil {
		return nil, err
	}
	killed, err := load(func() error {
		victim := pods.pods[0]
		victim.kill()
		pause(ctx, 3*time.Second)
		pods.replace(victim, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	cancel()
	watching()
	failed := restarted.tries.except(http.StatusOK)
	figure := fmt.Sprintf("%d requests failed, %d of %d syncs lost", failed, restarted.lost.Load(), restarted.done.Load()+restarted.lost.Load())
	if failed > 0 {
		figure += fmt.Sprintf(" (%v, %v)", restarted.tries.codes, restarted.tries.first)
	}
	return []result{
		{fmt.Sprintf("two instances replaced one after the other, %d times, under load", rounds), figure, "none failed, none lost", failed == 0 && restarted.lost.Load() == 0},
		{
			"one of two killed (SIGKILL)",
			fmt.Sprintf("%d syncs retried, %d of %d lost", killed.retried.Load(), killed.lost.Load(), killed.done.Load()+killed.lost.Load()),
			"none lost", killed.lost.Load() == 0,
		},
	}, nil
}

// replaceAll replaces every pod: it starts a new pod, waits until it is ready, and then stops the old pod.
func replaceAll(ctx context.Context, pods *service, rounds int, startPod func() (*server, error)) error {
	for range rounds * 2 {
		old := pods.pods[0]
		pod, err := startPod()
		if err != nil {
			return err
		}
		pods.replace(nil, pod)
		for !pods.isReady(pod) && ctx.Err() == nil {
			pause(ctx, 50*time.Millisecond)
		}
		if err := old.stop(); err != nil {
			return fmt.Errorf("drain: %w: %s", err, old.logged())
		}
		pods.replace(old, nil)
	}
	return ctx.Err()
}
