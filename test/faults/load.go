package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// overload measures the throughput with as many clients as the server admits, then the responses to ten times as many
// clients, which respect Retry-After as Metacontroller does.
func overload(ctx context.Context, s suite) ([]result, error) {
	const admitted = 16
	d := 15 * time.Second
	if s.long {
		d = time.Minute
	}
	server, err := start(ctx, s.binary, fmt.Sprintf("-max-in-flight=%d", admitted))
	if err != nil {
		return nil, err
	}
	defer server.kill()
	body := requests.Sync(100)
	url := "http://" + server.address + syncPath

	var base tally
	calm, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c := newClient(10*admitted, nil)
	loop(calm, admitted, func(int) {
		began := time.Now()
		got, err := c.post(ctx, url, body)
		base.add(got.code, time.Since(began), err)
	})()
	if n := base.except(http.StatusOK); n > 0 {
		return nil, fmt.Errorf("%d of %d requests failed without overload: %w", n, base.total(), base.first)
	}

	var responses tally
	var lost, completed atomic.Int64
	busy, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var early, late atomic.Int64
	stop := time.AfterFunc(d/4, func() { early.Store(rss(server)) })
	defer stop.Stop()
	wait := loop(busy, 10*admitted, func(int) {
		// Retry one sync until it succeeds, also after the end of the time.
		for deadline := time.Now().Add(2 * time.Minute); ; {
			began := time.Now()
			got, err := c.post(ctx, url, body)
			responses.add(got.code, time.Since(began), err)
			if err == nil && got.code == http.StatusOK {
				completed.Add(1)
				return
			}
			if time.Now().After(deadline) || got.code != http.StatusTooManyRequests || got.retryAfter < time.Second {
				lost.Add(1)
				return
			}
			pause(ctx, got.retryAfter)
		}
	})
	<-busy.Done()
	late.Store(rss(server))
	wait()
	other := responses.except(http.StatusOK, http.StatusTooManyRequests)
	peak, err := server.memory("VmHWM")
	if err != nil {
		return nil, err
	}
	growth := late.Load() - early.Load()
	return []result{
		{
			fmt.Sprintf("%d clients with a limit of %d, %s of 100-pod syncs", 10*admitted, admitted, d),
			fmt.Sprintf("%d × 200, %d × 429, %d others", responses.codes[200], responses.codes[429], other),
			"only 200 and 429, both", other == 0 && responses.codes[200] > 0 && responses.codes[429] > 0,
		},
		{"syncs with retries", fmt.Sprintf("%d of %d lost", lost.Load(), lost.Load()+completed.Load()), "none lost", lost.Load() == 0},
		{
			"memory", fmt.Sprintf("%s after a quarter, %s at the end, peak %s", mib(early.Load()), mib(late.Load()), mib(peak)),
			"grows by at most 8 MiB, 200 MiB", growth <= 8<<20 && peak <= memoryLimit,
		},
		{
			"throughput", fmt.Sprintf("%.0f syncs/s, %.0f without overload", float64(completed.Load())/d.Seconds(), float64(base.total())/5),
			"at least a half", float64(completed.Load())/d.Seconds() >= float64(base.total())/5/2,
		},
	}, nil
}

func rss(s *server) int64 {
	bytes, err := s.memory("VmRSS")
	if err != nil {
		return 0
	}
	return bytes
}
