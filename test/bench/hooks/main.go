// Hooks compares the sync hook of Memcached with other hooks in one run, on the same machine and at the same time. Only the
// ratios of the figures apply to other machines.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	rounds := flag.Int("rounds", 5, "`number` of measurements of each hook")
	flag.Parse()
	if err := run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int) error {
	const dir = "bin/bench/"
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir, ".", "./test/bench/peers/...")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the hooks in the root of the repository: %w: %s", err, text)
	}
	var hooks []*hook
	for _, h := range []*hook{
		{name: "this operator", command: []string{dir + "memcached-operator", "serve", "--log-level", "error", "--ops-address", "", "--address"}},
		{name: "typical Go hook", command: []string{dir + "typical", "--address"}},
		{name: "Node hook", command: []string{"node", "test/bench/peers/hook.js"}},
		{name: "Python hook", command: []string{"python3", "test/bench/peers/hook.py"}},
		{name: null, command: []string{dir + "null", "--address"}},
	} {
		if _, err := exec.LookPath(h.command[0]); err != nil {
			fmt.Fprintf(os.Stderr, "%s is not measured: %v\n", h.name, err)
			continue
		}
		hooks = append(hooks, h)
		err := h.start()
		if err == nil {
			defer func() { _ = h.process.Kill() }()
			err = h.measureMemory()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
	}
	for _, pods := range sizes {
		if err := measureCPU(hooks, pods, rounds); err != nil {
			return fmt.Errorf("%d pods: %w", pods, err)
		}
	}
	writeTable(os.Stdout, hooks)
	return os.WriteFile("test/bench/plot.svg", plot(hooks), 0o644)
}
