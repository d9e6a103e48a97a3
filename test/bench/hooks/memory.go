package main

import (
	"context"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/example/memcached-operator/test/bench/process"
	"github.com/example/memcached-operator/test/requests"
)

// measureProcess starts a hook five times to measure the first response, and measures the memory of the last process.
func measureProcess(ctx context.Context, peer peer, result *result) error {
	small, big := requests.Sync(3), requests.Sync(1000)
	file, err := os.Stat(peer.program)
	if err != nil {
		return err
	}
	result.program = file.Size()
	var starts []time.Duration
	for range 4 {
		running, took, _, err := firstResponse(ctx, peer, small)
		if err != nil {
			return err
		}
		starts = append(starts, took)
		running.Stop()
	}
	running, took, url, err := firstResponse(ctx, peer, small)
	if err != nil {
		return err
	}
	defer running.Stop()
	result.start = median(append(starts, took))
	if result.idle, _, err = process.Resident(running.PID); err != nil {
		return err
	}
	for range 10 {
		var five errgroup.Group
		for range 5 {
			five.Go(func() error {
				_, err := post(ctx, url, big)
				return err
			})
		}
		if err := five.Wait(); err != nil {
			return err
		}
	}
	_, result.busy, err = process.Resident(running.PID)
	return err
}

// firstResponse starts a hook and returns the time until the response to a sync.
func firstResponse(ctx context.Context, peer peer, body []byte) (*process.Process, time.Duration, string, error) {
	start := time.Now()
	running, url, err := peer.start(ctx)
	if err != nil {
		return nil, 0, "", err
	}
	if _, err := post(ctx, url, body); err != nil {
		running.Stop()
		return nil, 0, "", err
	}
	return running, time.Since(start), url, nil
}
