package main

import (
	"context"
	"time"

	"github.com/example/memcached-operator/test/bench/process"
)

// reading is the CPU time and the calls of the programs so far.
type reading struct {
	controller, hook time.Duration
	calls            map[string]int
}

func (m *meter) read(ctx context.Context) (reading, error) {
	var r reading
	var err error
	if r.controller, err = process.CPU(m.controller); err != nil {
		return r, err
	}
	if m.hook != 0 {
		if r.hook, err = process.CPU(m.hook); err != nil {
			return r, err
		}
	}
	if m.hookMetrics != "" {
		r.calls, err = hookCalls(ctx, m.hookMetrics)
	}
	return r, err
}

func subtract(after, before map[string]int) map[string]int {
	difference := map[string]int{}
	for name, n := range after {
		difference[name] = n - before[name]
	}
	return difference
}
