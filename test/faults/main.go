// Command faults runs the hook server as the program that it is, on loopback, does to it what networks, callers and
// clusters do, and measures what came of it. It prints a table of figures and bounds, and fails when a bound is missed.
//
//	go run ./test/faults             # some minutes, as CI does
//	go run ./test/faults -long       # all of it: every truncation, 60 s of overload, a soak of 30 minutes
//	go run ./test/faults -run soak   # only what matches
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

// suite is what every fault is given.
type suite struct {
	binary string
	folder string
	long   bool
}

// result is one line of the table.
type result struct {
	what, figure, bound string
	ok                  bool
}

// fault is one thing that is done to the server.
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
	long := flag.Bool("long", false, "take the time that the promises in README.md are about")
	only := flag.String("run", "", "run only the faults whose names match this `regexp`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := run(ctx, *only, *long)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "faults: %d bounds were missed\n", missed)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, long bool) (missed int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp("", "faults")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	s := suite{binary: filepath.Join(folder, "memcached-operator"), folder: folder, long: long}
	build := exec.CommandContext(ctx, "go", "build", "-o", s.binary, "github.com/example/memcached-operator")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("building the program: %w", err)
	}
	fmt.Printf("%s, %s/%s, %d CPUs\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Print("| fault | figure | bound | |\n|---|---|---|---|\n")
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
			verdict := "kept"
			if !r.ok {
				verdict = "**missed**"
				missed++
			}
			fmt.Printf("| %s: %s | %s | %s | %s |\n", fault.name, r.what, r.figure, r.bound, verdict)
		}
		fmt.Fprintf(os.Stderr, "%s took %s\n", fault.name, time.Since(start).Round(100*time.Millisecond))
	}
	if ran == 0 {
		return 0, fmt.Errorf("no fault matches %q", only)
	}
	return missed, nil
}
