// Hooks measures the sync hook of Memcached against hooks of other kinds, side by side in one run: every figure of a table
// comes from the same machine in the same minutes, and only their ratios mean anything elsewhere.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// sizes are the numbers of pods that syncs are about.
var sizes = []int{0, 3, 100, 1000, 3000}

func main() {
	rounds := flag.Int("rounds", 5, "how often each hook takes its `turn`")
	plot := flag.String("plot", "plot.svg", "`file` that the plot is written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *plot); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, plotFile string) error {
	folder, err := os.MkdirTemp("", "memcached-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Fprintln(os.Stderr, "building the hooks")
	peers, missing, err := build(ctx, folder)
	if err != nil {
		return err
	}
	decoding, err := measureDecoding(rounds)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "checking answers")
	for _, peer := range peers {
		if err := check(ctx, peer); err != nil {
			return fmt.Errorf("%s answers wrongly, so its figures would mean nothing: %w", peer.name, err)
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
	writeBounds(os.Stdout, results, decoding)
	return os.WriteFile(plotFile, plot(results), 0o644)
}
