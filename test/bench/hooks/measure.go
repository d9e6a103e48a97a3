package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/example/memcached-operator/test/internal/process"
	"github.com/example/memcached-operator/test/requests"
)

// sizes are the numbers of pods in the requests.
var sizes = []int{3, 100, 1000, 3000}

// measureCPU measures the CPU time of a sync, the median of the rounds. The hooks take turns, so that other load on the machine
// affects all of them.
func measureCPU(hooks []*hook, pods, rounds int) error {
	fmt.Fprintf(os.Stderr, "measuring syncs of %d pods\n", pods)
	body := requests.Sync(pods)
	costs := make([][]float64, len(hooks))
	for range rounds + 1 {
		for i, h := range hooks {
			cost, err := h.cpuTime(body, pods)
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			costs[i] = append(costs[i], cost)
		}
	}
	for i, h := range hooks {
		warm := costs[i][1:]
		slices.Sort(warm)
		h.cpu = append(h.cpu, warm[rounds/2])
	}
	return nil
}

// cpuTime returns the CPU time per sync, and an error if the last response is wrong.
func (h *hook) cpuTime(body []byte, pods int) (float64, error) {
	before, err := h.process.CPU()
	if err != nil {
		return 0, err
	}
	syncs := max(8, 30000/(pods+15)) // enough CPU time to count in ticks of 10 ms
	var response []byte
	for range syncs {
		if response, err = h.post(body); err != nil {
			return 0, err
		}
	}
	after, err := h.process.CPU()
	if err == nil && h.name != null {
		err = check(response, pods)
	}
	return (after - before).Seconds() * 1000 / float64(syncs), err
}

// measureMemory waits until the hook listens and measures its memory: after a sync of 3 pods, and the peak of ten times five
// concurrent syncs of 1,000 pods.
func (h *hook) measureMemory() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := h.process.WaitFor(ctx, process.Listens(h.address)); err != nil {
		return err
	}
	if _, err := h.post(requests.Sync(3)); err != nil {
		return err
	}
	idle, _, err := h.process.MiB()
	if err != nil {
		return err
	}
	ended, body := make(chan error), requests.Sync(1000)
	for range 5 {
		go func() {
			for range 10 {
				_, err := h.post(body)
				ended <- err
			}
		}()
	}
	for range 5 * 10 {
		if err := <-ended; err != nil {
			return err
		}
	}
	_, peak, err := h.process.MiB()
	h.memory = []float64{idle, peak}
	return err
}
