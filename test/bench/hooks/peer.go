package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/example/memcached-operator/test/bench/process"
)

// peer is a hook to measure.
type peer struct {
	name    string
	program string
	args    []string // ADDRESS is replaced by the address to listen on
	// null is true for the handler with a constant response, which is not checked.
	null bool
}

const ours = "this operator"

// build returns the hooks that can run on this machine, this repository's first, and a sentence about each of the others.
func build(ctx context.Context, dir string) (peers []peer, missing []string, err error) {
	programs := []struct {
		peer
		source []string // arguments of go build
	}{
		{peer{name: ours, args: []string{"serve", "-address", "ADDRESS", "-ops-address", ""}},
			[]string{"-C", filepath.Join("..", ".."), "-trimpath", "-ldflags", "-s -w", "."}},
		{peer{name: "typical Go hook", args: []string{"-address", "ADDRESS"}}, []string{"./peers/typical"}},
		{peer{name: "null handler", args: []string{"-address", "ADDRESS"}, null: true}, []string{"./peers/null"}},
	}
	for i, program := range programs {
		program.program = filepath.Join(dir, fmt.Sprint("hook", i))
		if err := goBuild(ctx, program.program, program.source); err != nil {
			return nil, nil, fmt.Errorf("building %s: %w", program.name, err)
		}
		peers = append(peers, program.peer)
	}
	for _, script := range []peer{
		{name: "Node hook", program: "node", args: []string{filepath.Join("peers", "hook.js"), "ADDRESS"}},
		{name: "Python hook", program: "python3", args: []string{filepath.Join("peers", "hook.py"), "ADDRESS"}},
	} {
		path, err := exec.LookPath(script.program)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s: not measured, because %s is not installed", script.name, script.program))
			continue
		}
		script.program = path
		peers = append(peers, script)
	}
	return peers, missing, nil
}

func goBuild(ctx context.Context, output string, source []string) error {
	args := []string{"build"}
	if source[0] == "-C" { // must be the first flag
		args, source = append(args, source[:2]...), source[2:]
	}
	args = append(append(args, "-o", output), source...)
	if text, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// start runs the hook and returns its URL once it listens.
func (p peer) start(ctx context.Context) (*process.Process, string, error) {
	address, err := process.FreeAddress()
	if err != nil {
		return nil, "", err
	}
	args := make([]string, len(p.args))
	for i, arg := range p.args {
		if args[i] = arg; arg == "ADDRESS" {
			args[i] = address
		}
	}
	running, err := process.Start(p.program, args...)
	if err != nil {
		return nil, "", err
	}
	if err := running.Listening(ctx, address); err != nil {
		running.Stop()
		return nil, "", err
	}
	return running, "http://" + address + "/memcached/sync", nil
}
