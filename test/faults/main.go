// Command faults starts the hook server on loopback, injects faults of networks, clients and clusters, and measures the
// effects. It prints a table of figures and limits, and fails if a figure violates its limit.
//
//	go run ./test/faults             # a few minutes, as in CI
//	go run ./test/faults -long       # complete: every truncation, 60 s of overload, a soak of 30 minutes
//	go run ./test/faults -run soak   # only matching faults
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

// suite is the configuration of every fault.
type suite struct {
	binary string
	dir    string
	long   bool
}

// result is one line of the table.
type result struct {
	what, figure, limit string
	ok                  bool
}

// fault injects one kind of fault.
type fault struct {
	name string
	run  func(context.Context, suite) ([]result, error)
}

func faults() []fault {
	return []fault{
		{"truncations", truncations},
		{"mutations", mutations},
		{"nesting", nesting},
		{"slow-headers", slowHeaders},
		{"stalled-bodies", stalledBodies},
		{"huge-tokens", hugeTokens},
		{"many-tokens", manyTokens},
		{"overload", overload},
		{"rotation", rotation},
		{"panic", panics},
		{"rolling-restart", rollingRestart},
		{"soak", soak},
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == panickingServer {
		servePanicking()
		return
	}
	long := flag.Bool("long", false, "run all faults for as long as the figures in README.md need")
	only := flag.String("run", "", "run only the faults whose names match this `regexp`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	failed, err := run(ctx, *only, *long)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
	if failed > 0 {
		fmt.Fprintf(os.Stderr, "faults: %d checks failed\n", failed)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, long bool) (failed int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "faults")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	s := suite{binary: filepath.Join(dir, "memcached-operator"), dir: dir, long: long}
	build := exec.CommandContext(ctx, "go", "build", "-o", s.binary, "github.com/example/memcached-operator")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("building the program: %w", err)
	}
	fmt.Printf("%s, %s/%s, %d CPUs\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Print("| fault | figure | limit | |\n|---|---|---|---|\n")
	ran := 0
	for _, fault := range faults() {
		if !pattern.MatchString(fault.name) {
			continue
		}
		ran++
		start := time.Now()
		results, err := fault.run(ctx, s)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", fault.name, err)
		}
		for _, r := range results {
			verdict := "pass"
			if !r.ok {
				verdict = "**fail**"
				failed++
			}
			fmt.Printf("| %s: %s | %s | %s | %s |\n", fault.name, r.what, r.figure, r.limit, verdict)
		}
		fmt.Fprintf(os.Stderr, "%s took %s\n", fault.name, time.Since(start).Round(100*time.Millisecond))
	}
	if ran == 0 {
		return 0, fmt.Errorf("no fault matches %q", only)
	}
	return failed, nil
}
