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

// result has the measurements of one hook.
type result struct {
	peer peer
	// cpu is the CPU time of one sync by number of pods, the median of the rounds.
	cpu map[int]time.Duration
	// rate is the number of syncs of 3 pods per second from concurrent clients without a pause; p99 is their latency. Both
	// are medians of the rounds.
	rate float64
	p99  time.Duration
	// start is the time from the start of the program to its first response, the median of five.
	start time.Duration
	// idle and busy are resident bytes: after one sync, and the peak of ten times five concurrent syncs of 1,000 pods.
	idle, busy int64
	program    int64 // size of the binary in bytes
}

// Eight concurrent clients keep two CPUs busy. The rate includes the CPU time of the clients.
const clients = 8

// syncsPerTurn returns the number of syncs in one measurement: enough CPU time to count in ticks of 10 ms.
func syncsPerTurn(size int) int { return max(8, min(2000, 30000/(size+1))) }

// measureRequests alternates between the hooks, so that other load on the machine affects all of them.
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
				cpu, err := turn(ctx, running[i].PID, urls[i], body, syncsPerTurn(size))
				if err != nil {
					return fmt.Errorf("%s, %d pods: %w", results[i].peer.name, size, err)
				}
				if round > 0 { // the first round warms up
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

// turn returns the CPU time per sync of a number of syncs.
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

// flood sends requests from concurrent clients without a pause and returns the latency of each.
func flood(ctx context.Context, url string, body []byte, length time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var group sync.WaitGroup
	end := time.Now().Add(length)
	for range clients {
		group.Go(func() {
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
	group.Wait()
	return all, failed
}

func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
