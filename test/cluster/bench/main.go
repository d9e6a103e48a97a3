// Bench measures the time and the work from parents to complete statuses in a cluster on this machine. It compares the real
// Metacontroller with this repository's hook, Metacontroller with a typical hook, and an operator with controller-runtime.
// Each variant gets its own cluster, the same client limits, the same parents and the same pods.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/example/memcached-operator/test/cluster"
)

func main() {
	parents := flag.Int("parents", 200, "`number` of parents that are created at the same time")
	namespaces := flag.Int("namespaces", 1, "`number` of namespaces of the parents")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *parents, *namespaces); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, parents, namespaces int) error {
	dir, err := os.MkdirTemp("", "memcached-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const module = "github.com/example/memcached-operator/test/"
	build := exec.CommandContext(ctx, "go", "build", "-o", dir+"/", module+"cluster/bench/operator", module+"bench/peers/typical")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the operator and the typical hook: %w: %s", err, text)
	}
	if err := writeDeployment(ctx, dir); err != nil {
		return fmt.Errorf("write the Deployment of the other programs: %w", err)
	}
	var results []result
	for _, v := range variants(dir) {
		fmt.Fprintf(os.Stderr, "%d parents, %d namespaces: %s\n", parents, namespaces, v.name)
		r, err := measure(ctx, v, parents, namespaces)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		results = append(results, r)
		writeTable(os.Stdout, parents, namespaces, results) // a later variant may fail
	}
	return nil
}

// deploymentFile is the name of the file that writeDeployment writes.
const deploymentFile = "deployment.json"

// writeDeployment writes the Deployment that the other programs create: that of the minimal variant.
func writeDeployment(ctx context.Context, dir string) error {
	manifest, err := parent(minimal, "default", "template", 3).MarshalJSON()
	if err != nil {
		return err
	}
	root, err := cluster.Repository(ctx)
	if err != nil {
		return err
	}
	render := exec.CommandContext(ctx, "go", "run", ".", "render", "--children", "-o", "json", "-f", "-")
	render.Dir, render.Stdin, render.Stderr = root, bytes.NewReader(manifest), os.Stderr
	content, err := render.Output()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	var list struct {
		Items []json.RawMessage
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return fmt.Errorf("decode what render prints: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, deploymentFile), list.Items[0], 0o600)
}
