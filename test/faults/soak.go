package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// sample is what the server held at one time.
type sample struct{ seconds, resident, goroutines float64 }

// soak makes syncs of 1,000 pods at a steady rate, and looks whether memory or goroutines grow.
func soak(ctx context.Context, s suite) ([]result, error) {
	d, samples := 40*time.Second, 40
	if s.long {
		d, samples = 30*time.Minute, 180
	}
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	body := requests.Sync(1000)
	var answers tally
	c := newClient(2, nil)
	// A tenth of the time to warm up: pools fill and the heap finds its size.
	busy, cancel := context.WithTimeout(ctx, d+d/10)
	defer cancel()
	wait := loop(busy, 2, func(int) {
		began := time.Now()
		got, err := c.post(ctx, "http://"+server.address+syncPath, body)
		answers.add(got.code, time.Since(began), err)
		pause(busy, 400*time.Millisecond)
	})
	pause(busy, d/10)
	began := time.Now()
	var taken []sample
	for len(taken) < samples {
		pause(ctx, d/time.Duration(samples))
		resident, err := server.memory("VmRSS")
		if err != nil {
			return nil, err
		}
		goroutines, err := server.metric(ctx, "go_goroutines")
		if err != nil {
			return nil, err
		}
		taken = append(taken, sample{time.Since(began).Seconds(), float64(resident), goroutines})
	}
	cancel()
	wait()
	peak, err := server.memory("VmHWM")
	if err != nil {
		return nil, err
	}
	failed := answers.beside(http.StatusOK)
	hour := 3600 * slope(taken, func(s sample) float64 { return s.resident }) / (1 << 20)
	grown := hour * d.Hours()
	goroutines := slope(taken, func(s sample) float64 { return s.goroutines }) * d.Seconds()
	first, last := taken[0], taken[len(taken)-1]
	return []result{
		{
			fmt.Sprintf("%s of 1,000-pod syncs (%s each)", d, mib(int64(len(body)))),
			fmt.Sprintf("%d of %d failed, p50 %.0f ms, p99 %.0f ms", failed, answers.total(), ms(answers.percentile(0.5)), ms(answers.percentile(0.99))),
			"none failed", failed == 0,
		},
		{
			"memory", fmt.Sprintf("%s at first, %s at last, peak %s; the line through %d samples rises by %.1f MiB", mib(int64(first.resident)), mib(int64(last.resident)), mib(peak), samples, grown),
			"rises by at most 4 MiB", grown <= 4,
		},
		{
			"goroutines", fmt.Sprintf("%.0f at first, %.0f at last; the line rises by %.1f", first.goroutines, last.goroutines, goroutines),
			"rises by less than 1", goroutines < 1,
		},
	}, nil
}

// slope is that of the line through the samples, by least squares, for each second.
func slope(samples []sample, value func(sample) float64) float64 {
	n := float64(len(samples))
	var x, y, xx, xy float64
	for _, s := range samples {
		x += s.seconds
		y += value(s)
		xx += s.seconds * s.seconds
		xy += s.seconds * value(s)
	}
	return (n*xy - x*y) / (n*xx - x*x)
}
