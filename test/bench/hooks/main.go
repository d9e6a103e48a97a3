// Hooks compares the sync hook of Memcached with other hooks in one run, on the same machine and at the same time. Only the
// ratios of the figures apply to other machines.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// sizes are the numbers of pods in the requests.
var sizes = []int{0, 3, 100, 1000, 3000}

func main() {
	rounds := flag.Int("rounds", 5, "`number` of measurements of each hook")
	plot := flag.String("plot", "plot.svg", "output `file` of the plot")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *plot); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, plotFile string) error {
	dir, err := os.MkdirTemp("", "memcached-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(os.Stderr, "building the hooks")
	peers, missing, err := build(ctx, dir)
	if err != nil {
		return err
	}
	decoding, err := measureDecoding(rounds)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "checking responses")
	for _, peer := range peers {
		if err := check(ctx, peer); err != nil {
			return fmt.Errorf("%s returns a wrong response: %w", peer.name, err)
		}
	}
	var results []result
	for _, peer := range peers {
		fmt.Fprintln(os.Stderr, "measuring the memory of", peer.name)
		result := result{peer: peer}
		if err := measureProcess(ctx, peer, &result); err != nil {
			return fmt.Errorf("measuring %s: %w", peer.name, err)
		}
		results = append(results, result)
	}
	if err := measureRequests(ctx, rounds, results); err != nil {
		return err
	}
	writeTable(os.Stdout, results, missing)
	writeDecoding(os.Stdout, decoding)
	writeLimits(os.Stdout, results, decoding)
	return os.WriteFile(plotFile, plot(results), 0o644)
}
