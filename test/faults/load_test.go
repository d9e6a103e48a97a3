//go:build faults

package faults

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// TestOverload measures the throughput with as many callers of one namespace as may always wait, then with 40 times as many, which respect Retry-After as
// Metacontroller does.
func TestOverload(t *testing.T) {
	d := 15 * time.Second
	if *long {
		d = time.Minute
	}
	const calm = 5 * time.Second
	p, body := start(t), requests.Sync(100)
	base, c := newClient(new(http.Transport)), newClient(new(http.Transport))
	ctx, cancel := context.WithTimeout(t.Context(), calm)
	defer cancel()
	loop(ctx, 4, func(int) { base.post(p.url(), body) })()

	ctx, cancel = context.WithTimeout(t.Context(), d)
	defer cancel()
	wait := loop(ctx, 160, func(int) { c.sync(t.Context(), p.url, body) })
	pause(ctx, d/4)
	early, _ := p.memory(t)
	<-ctx.Done()
	late, peak := p.memory(t)
	wait()
	before, throughput := float64(len(base.took))/calm.Seconds(), float64(c.done)/d.Seconds()
	t.Logf("160 callers, %s: codes %v, %d of %d syncs lost, %.0f syncs/s (%.0f with 4 callers)", d, c.codes, c.lost, c.lost+c.done, throughput, before)
	t.Logf("%.0f MiB after a quarter, %.0f MiB at the end, peak %.0f MiB", early, late, peak)
	base.wantOnly(t, 200)
	c.wantOnly(t, 200, 429)
	if c.lost > 0 {
		t.Error("a sync was lost")
	}
	if late-early > 8 || peak > memoryLimit {
		t.Errorf("the memory grows by more than 8 MiB, or above %d MiB", memoryLimit)
	}
	if throughput < before/2 {
		t.Error("the throughput is less than half of that with 4 callers")
	}
}

// TestSoak sends syncs of 1,000 pods at a steady rate, and checks that neither memory nor goroutines grow.
func TestSoak(t *testing.T) {
	d, samples := 40*time.Second, 40
	if *long {
		d, samples = 30*time.Minute, 180
	}
	p, c, body := start(t), newClient(new(http.Transport)), requests.Sync(1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := loop(ctx, 2, func(int) {
		c.post(p.url(), body)
		pause(ctx, 400*time.Millisecond)
	})
	pause(ctx, d/10)                  // until the heap has a stable size
	var memory, goroutines [2]float64 // averages of each half of the time
	for i := range samples {
		pause(ctx, d/time.Duration(samples))
		now, _ := p.memory(t)
		memory[2*i/samples] += now / float64(samples/2)
		goroutines[2*i/samples] += p.goroutines(t) / float64(samples/2)
	}
	cancel()
	wait()
	_, peak := p.memory(t)
	t.Logf("%s of 1,000-pod syncs (%d MiB each): codes %v, p50 %.0f ms, p99 %.0f ms", d, len(body)>>20, c.codes, c.percentile(0.5), c.percentile(0.99))
	t.Logf("in the first and second half: %.1f MiB, %.1f goroutines; peak %.0f MiB", memory, goroutines, peak)
	c.wantOnly(t, 200)
	if memory[1]-memory[0] > 2 || goroutines[1]-goroutines[0] >= 0.5 {
		t.Error("the memory grows by more than 2 MiB, or goroutines are left")
	}
}
