//go:build faults

// Package faults tests the program on loopback with the faults of networks and callers, for minutes: make faults. README.md has the
// figures.
package faults

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/internal/process"
)

var (
	binary = flag.String("program", "", "`file` of the program")
	long   = flag.Bool("long", false, "run all tests for as long as the figures in README.md need")
)

// program is one process of the program.
type program struct {
	*process.Process
	address, ops string
}

var serving = regexp.MustCompile(`"serving hooks" address=(\S+) .*ops-address=(\S+)`)

// start starts the program on free loopback ports until the test ends, and returns when it listens.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{Process: &process.Process{
		Path: *binary,
		Args: append([]string{"serve", "--address=127.0.0.1:0", "--ops-address=127.0.0.1:0"}, args...),
		Env:  []string{"GOMEMLIMIT=230MiB"}, // as in the Deployment, whose memory limit is 256 MiB
		Log:  filepath.Join(t.TempDir(), "log"),
	}}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	found, err := p.WaitForLog(ctx, serving)
	if err != nil {
		t.Fatal(err)
	}
	p.address, p.ops = found[1], found[2]
	return p
}

func (p *program) url() string { return "http://" + p.address }

// drain stops the program with SIGTERM and waits until it exits.
func (p *program) drain(t *testing.T) {
	t.Helper()
	if err := errors.Join(p.Stop(time.Minute), p.Err()); err != nil {
		t.Errorf("the drain: %v", err)
	}
}

// memory returns the current and the peak resident MiB.
func (p *program) memory(t *testing.T) (now, peak float64) {
	t.Helper()
	now, peak, err := p.MiB()
	if err != nil {
		t.Fatal(err)
	}
	return now, peak
}

// goroutines returns the number of goroutines from /metrics.
func (p *program) goroutines(t *testing.T) float64 {
	t.Helper()
	response, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "\ngo_goroutines ")
	var count float64
	if _, err := fmt.Sscan(rest, &count); err != nil {
		t.Fatalf("reading go_goroutines from the metrics: %v", err)
	}
	return count
}
