package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Operator is the running program.
type Operator struct {
	// Address serves the hooks, and Ops the metrics.
	Address string `json:"address"`
	Ops     string `json:"ops-address"`
	stop    func()
}

// StartOperator builds the program into a directory, and starts it on free ports of loopback.
func StartOperator(ctx context.Context, dir string) (*Operator, error) {
	program := filepath.Join(dir, "memcached-operator")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir = "../.."
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the program: %w\n%s", err, output)
	}
	serve := exec.CommandContext(ctx, program, "serve", "--address=127.0.0.1:0", "--ops-address=127.0.0.1:0", "--log-format=json")
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	serve.WaitDelay = 10 * time.Second
	log, err := serve.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := serve.Start(); err != nil {
		return nil, err
	}
	operator := &Operator{stop: func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	}}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), operator); err == nil && operator.Ops != "" {
			return operator, nil
		}
	}
	operator.stop()
	return nil, fmt.Errorf("the program ended before it served: %w", lines.Err())
}

// Stop ends the program.
func (o *Operator) Stop() { o.stop() }
