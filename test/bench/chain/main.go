// Chain measures the whole chain from a parent to its status, on a cluster of this machine: the real Metacontroller with this
// repository's hook, beside Metacontroller with the hook that most people would write, and beside an operator on
// controller-runtime. Every arm gets a cluster of its own, the same client limits, and the same work.
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
	flags := flag.NewFlagSet("chain", flag.ExitOnError)
	flags.Func("parents", "`numbers` of parents that are created at once, between commas (default 200,1000)", func(value string) error {
		for word := range strings.SplitSeq(value, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of parents", word)
			}
			parents = append(parents, n)
		}
		return nil
	})
	only := regexp.MustCompile("")
	flags.Func("only", "run only the arms whose name matches this `expression`", func(value string) (err error) {
		only, err = regexp.Compile(value)
		return err
	})
	keep := flags.String("logs", "", "`folder` to keep the programs' logs in (default: none is kept)")
	_ = flags.Parse(os.Args[1:]) // it exits on an error
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
	folder, err := os.MkdirTemp("", "memcached-chain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := build(ctx, folder); err != nil {
		return err
	}
	for _, n := range parents {
		var results []result
		for _, arm := range arms(folder) {
			if !only.MatchString(arm.name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%d parents, %s\n", n, arm.name)
			result, err := measure(ctx, arm, n, logs)
			results = append(results, result)
			if err != nil {
				writeTable(os.Stdout, n, results) // what there is so far took long enough
				return fmt.Errorf("%d parents, %s: %w", n, arm.name, err)
			}
		}
		writeTable(os.Stdout, n, results)
	}
	return nil
}
