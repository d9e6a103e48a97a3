package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/example/memcached-operator/test/bench/process"
	"github.com/example/memcached-operator/test/requests"
)

// result is what was measured of one hook.
type result struct {
	peer peer
	// cpu is the processor time of one sync by number of pods, the median of the rounds.
	cpu map[int]time.Duration
	// rate is how many syncs of 3 pods are answered in a second when atOnce ask without a pause; p99 is how long 99 of 100
	// of them take at most. Medians of the rounds.
	rate float64
	p99  time.Duration
	// start is the time from starting the program to its first answer, the median of five.
	start time.Duration
	// idle and busy are resident bytes: after one sync, and the peak of five syncs of 1,000 pods at once, ten times.
	idle, busy int64
	program    int64 // bytes of the program's file
}

// Eight requests at once keep two processors busy; the rate is of the hook and its client together.
const atOnce = 8

// times is how many syncs make one turn: enough processor time to count in ticks of 10 ms.
func times(size int) int { return max(8, min(2000, 30000/(size+1))) }

// measureRequests lets the hooks take turns, so that what else the machine does falls on all of them.
func measureRequests(ctx context.Context, rounds int, results []result) error {
	var running []*process.Process
	var urls []string
	for _, r := range results {
		p, url, err := r.peer.start(ctx)
		if err != nil {
			return err
		}
		defer p.Stop()
		running, urls = append(running, p), append(urls, url)
	}
	for i := range results {
		results[i].cpu = map[int]time.Duration{}
	}
	for _, size := range sizes {
		fmt.Fprintf(os.Stderr, "measuring syncs of %d pods\n", size)
		body := requests.Sync(size)
		turns := make([][]time.Duration, len(results))
		for round := range rounds + 1 {
			for i := range results {
				cpu, err := turn(ctx, running[i].PID, urls[i], body, times(size))
				if err != nil {
					return fmt.Errorf("%s, %d pods: %w", results[i].peer.name, size, err)
				}
				if round > 0 { // the first warms up
					turns[i] = append(turns[i], cpu)
				}
			}
		}
		for i := range results {
			results[i].cpu[size] = median(turns[i])
		}
	}
	return measureRates(ctx, rounds, results, urls)
}

// turn returns the processor time of one of so many syncs.
func turn(ctx context.Context, pid int, url string, body []byte, syncs int) (time.Duration, error) {
	before, err := process.CPU(pid)
	if err != nil {
		return 0, err
	}
	for range syncs {
		if _, err := post(ctx, url, body); err != nil {
			return 0, err
		}
	}
	after, err := process.CPU(pid)
	return (after - before) / time.Duration(syncs), err
}

func measureRates(ctx context.Context, rounds int, results []result, urls []string) error {
	fmt.Fprintln(os.Stderr, "measuring rates")
	body := requests.Sync(3)
	rates, p99s := make([][]float64, len(results)), make([][]time.Duration, len(results))
	for range rounds {
		for i := range results {
			latencies, err := flood(ctx, urls[i], body, time.Second)
			if err != nil {
				return fmt.Errorf("%s: %w", results[i].peer.name, err)
			}
			slices.Sort(latencies)
			rates[i] = append(rates[i], float64(len(latencies)))
			p99s[i] = append(p99s[i], latencies[len(latencies)*99/100])
		}
	}
	for i := range results {
		results[i].rate, results[i].p99 = median(rates[i]), median(p99s[i])
	}
	return nil
}

// flood has atOnce clients ask without a pause and returns how long each request took.
func flood(ctx context.Context, url string, body []byte, length time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var clients sync.WaitGroup
	end := time.Now().Add(length)
	for range atOnce {
		clients.Go(func() {
			var mine []time.Duration
			var err error
			for err == nil && time.Now().Before(end) {
				start := time.Now()
				_, err = post(ctx, url, body)
				mine = append(mine, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
			if err != nil {
				failed = err
			}
		})
	}
	clients.Wait()
	return all, failed
}

func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
