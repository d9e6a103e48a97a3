package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// overload measures what the server answers when as many clients call as it takes in, and then what it does when there
// are ten times as many, who wait as long as they are told and come back, as Metacontroller does.
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
	if n := base.beside(http.StatusOK); n > 0 {
		return nil, fmt.Errorf("%d of %d requests failed before there was any overload: %w", n, base.total(), base.first)
	}

	var answers tally
	var lost, answered atomic.Int64
	busy, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var early, late atomic.Int64
	stop := time.AfterFunc(d/4, func() { early.Store(rss(server)) })
	defer stop.Stop()
	wait := loop(busy, 10*admitted, func(int) {
		// One sync, until it is answered; the last ones too, after the time is over.
		for deadline := time.Now().Add(2 * time.Minute); ; {
			began := time.Now()
			got, err := c.post(ctx, url, body)
			answers.add(got.code, time.Since(began), err)
			if err == nil && got.code == http.StatusOK {
				answered.Add(1)
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
	other := answers.beside(http.StatusOK, http.StatusTooManyRequests)
	peak, err := server.memory("VmHWM")
	if err != nil {
		return nil, err
	}
	growth := late.Load() - early.Load()
	return []result{
		{
			fmt.Sprintf("%d callers for %d places, %s of 100-pod syncs", 10*admitted, admitted, d),
			fmt.Sprintf("%d × 200, %d × 429, %d others", answers.codes[200], answers.codes[429], other),
			"only 200 and 429, both", other == 0 && answers.codes[200] > 0 && answers.codes[429] > 0,
		},
		{"syncs that were told to come back", fmt.Sprintf("%d of %d lost", lost.Load(), lost.Load()+answered.Load()), "none lost", lost.Load() == 0},
		{
			"memory", fmt.Sprintf("%s after a quarter, %s at the end, peak %s", mib(early.Load()), mib(late.Load()), mib(peak)),
			"grows by at most 8 MiB, 200 MiB", growth <= 8<<20 && peak <= memoryBound,
		},
		{
			"work that is done meanwhile", fmt.Sprintf("%.0f syncs/s, %.0f without overload", float64(answered.Load())/d.Seconds(), float64(base.total())/5),
			"at least a half", float64(answered.Load())/d.Seconds() >= float64(base.total())/5/2,
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
