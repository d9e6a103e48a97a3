// Bench measures the time from a parent to its status in a cluster on this machine. It compares the real
// Metacontroller with this repository's hook, Metacontroller with a typical hook, and an operator with controller-runtime.
// Each variant gets its own cluster, the same client limits and the same work.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	var parents []int
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.Func("parents", "comma-separated `numbers` of parents that are created at the same time (default 200,1000)", func(value string) error {
		for word := range strings.SplitSeq(value, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not a number of parents", word)
			}
			parents = append(parents, n)
		}
		return nil
	})
	only := regexp.MustCompile("")
	flags.Func("only", "run only the variants whose names match this `regexp`", func(value string) (err error) {
		only, err = regexp.Compile(value)
		return err
	})
	keep := flags.String("logs", "", "`directory` for the programs' logs (default: no logs are kept)")
	_ = flags.Parse(os.Args[1:]) // exits on an error
	if parents == nil {
		parents = []int{200, 1000}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, parents, only, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "chain:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, parents []int, only *regexp.Regexp, logs string) error {
	dir, err := os.MkdirTemp("", "memcached-chain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	for _, n := range parents {
		var results []result
		for _, variant := range variants(dir) {
			if !only.MatchString(variant.name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%d parents, %s\n", n, variant.name)
			result, err := measure(ctx, variant, n, logs)
			results = append(results, result)
			if err != nil {
				writeTable(os.Stdout, n, results) // keeps the results so far
				return fmt.Errorf("%d parents, %s: %w", n, variant.name, err)
			}
		}
		writeTable(os.Stdout, n, results)
	}
	return nil
}
