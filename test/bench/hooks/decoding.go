package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/memcached"
)

// decoding compares a sync without HTTP to json.Valid, which scans the same bytes and allocates nothing.
type decoding struct {
	size        int
	sync, valid time.Duration // per call, the minimum of all rounds, because disturbances only add time
	allocations uint64
	allocated   uint64 // bytes in total
	body        int
	response    int
}

// measureDecoding alternates short rounds of all sizes, so that other load on the machine affects all of them.
func measureDecoding(rounds int) ([]decoding, error) {
	controller := memcached.Controller(memcached.Config{})
	results := make([]decoding, len(sizes))
	bodies := make([][]byte, len(sizes))
	for i, size := range sizes {
		bodies[i] = requests.Sync(size)
		results[i] = decoding{size: size, body: len(bodies[i]), sync: time.Hour, valid: time.Hour}
	}
	sync := func(i int) error {
		response, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(bodies[i]), metav1.Time{})
		results[i].response = len(response.Body)
		return err
	}
	for range rounds * 20 {
		for i := range results {
			calls := 1 + 100/(sizes[i]+1) // repeat small syncs, because after a large one the CPU caches are cold
			start := time.Now()
			for range calls {
				if err := sync(i); err != nil {
					return nil, err
				}
			}
			between := time.Now()
			for range calls {
				json.Valid(bodies[i])
			}
			results[i].sync = min(results[i].sync, between.Sub(start)/time.Duration(calls))
			results[i].valid = min(results[i].valid, time.Since(between)/time.Duration(calls))
		}
	}
	for i := range results {
		results[i].allocations, results[i].allocated = allocated(func() { _ = sync(i) }) // the rounds above checked the error
	}
	return results, nil
}

// allocated returns the numbers of objects and bytes that one call allocates.
func allocated(do func()) (objects, bytes uint64) {
	const calls = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		do()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / calls, (after.TotalAlloc - before.TotalAlloc) / calls
}
