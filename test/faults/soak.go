package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// sample is the memory and number of goroutines at one time.
type sample struct{ seconds, resident, goroutines float64 }

// soak sends syncs of 1,000 pods at a steady rate, and checks that neither memory nor goroutines grow.
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
	var responses tally
	c := newClient(2, nil)
	// Warm up for a tenth of the time, until the heap has a stable size.
	busy, cancel := context.WithTimeout(ctx, d+d/10)
	defer cancel()
	wait := loop(busy, 2, func(int) {
		began := time.Now()
		got, err := c.post(ctx, "http://"+server.address+syncPath, body)
		responses.add(got.code, time.Since(began), err)
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
	failed := responses.except(http.StatusOK)
	hour := 3600 * slope(taken, func(s sample) float64 { return s.resident }) / (1 << 20)
	grown := hour * d.Hours()
	goroutines := slope(taken, func(s sample) float64 { return s.goroutines }) * d.Seconds()
	first, last := taken[0], taken[len(taken)-1]
	return []result{
		{
			fmt.Sprintf("%s of 1,000-pod syncs (%s each)", d, mib(int64(len(body)))),
			fmt.Sprintf("%d of %d failed, p50 %.0f ms, p99 %.0f ms", failed, responses.total(), ms(responses.percentile(0.5)), ms(responses.percentile(0.99))),
			"none failed", failed == 0,
		},
		{
			"memory", fmt.Sprintf("%s at the start, %s at the end, peak %s; the trend of %d samples rises by %.1f MiB", mib(int64(first.resident)), mib(int64(last.resident)), mib(peak), samples, grown),
			"rises by at most 4 MiB", grown <= 4,
		},
		{
			"goroutines", fmt.Sprintf("%.0f at the start, %.0f at the end; the trend rises by %.1f", first.goroutines, last.goroutines, goroutines),
			"rises by less than 1", goroutines < 1,
		},
	}, nil
}

// slope returns the slope per second of the linear regression of the samples.
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
