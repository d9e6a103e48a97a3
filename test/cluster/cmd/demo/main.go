// Demo starts a control plane on this machine with the hook and Metacontroller, applies the samples, and shows their
// status. With --once it exits when all samples are ready.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	flag "github.com/spf13/pflag"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/cluster"
)

// readyTimeout limits how long --once waits for the samples after all programs have started.
const readyTimeout = 3 * time.Minute

func main() {
	once := flag.Bool("once", false, "exit when all samples are ready")
	logs := flag.String("logs", "", "`directory` for the programs' logs (default: no logs are kept)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *once, *logs)
	if ctx.Err() != nil && !*once {
		return // Ctrl-C is the normal end
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, once bool, logs string) (err error) {
	start := time.Now()
	c, err := cluster.Start(ctx, cluster.Options{Progress: os.Stdout, Logs: logs, NoKubectl: true})
	if err != nil {
		return err
	}
	defer func() {
		fmt.Println("stopping all programs")
		err = errors.Join(err, c.Stop())
	}()
	if err := c.ApplySamples(ctx); err != nil {
		return err
	}
	return watch(ctx, c, once, start)
}

// watch shows the parents until they are ready (with once) or until the demo is interrupted.
func watch(ctx context.Context, c *cluster.Cluster, once bool, start time.Time) error {
	up := time.Now()
	screen := newScreen(os.Stdout, term.IsTerminal(int(os.Stdout.Fd())))
	settledAfter := time.Duration(0)
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		if err := c.Check(); err != nil {
			return err
		}
		parents, err := c.Parents(ctx)
		if settledAfter == 0 && err == nil && allSettled(parents) {
			settledAfter = time.Since(start)
		}
		text := table(parents)
		if err != nil {
			text += fmt.Sprintf("\nCannot list the parents: %s\n", err)
		}
		if settledAfter > 0 {
			text += fmt.Sprintf("\nAll samples are ready, %s after the start. kwok simulates the pods: no memcached runs and no item is stored.\n", settledAfter.Round(time.Second))
			if !once {
				text += nextSteps(c, parents)
			}
		}
		screen.show(text)
		switch {
		case once && settledAfter > 0:
			return nil
		case once && time.Since(up) > readyTimeout:
			return fmt.Errorf("the samples are not ready after %s", readyTimeout)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func allSettled(parents []unstructured.Unstructured) bool {
	for i := range parents {
		if !cluster.Settled(&parents[i]) {
			return false
		}
	}
	return len(parents) > 0
}

// nextSteps returns commands for another terminal, which change a cache with proxies.
func nextSteps(c *cluster.Cluster, parents []unstructured.Unstructured) string {
	name := "NAME"
	for _, p := range parents {
		if _, proxied, _ := unstructured.NestedMap(p.Object, "spec", "proxy"); proxied {
			name = p.GetName()
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nIn another terminal:\n\n  export KUBECONFIG=%s\n", c.Kubeconfig)
	if _, err := exec.LookPath("kubectl"); err != nil {
		b.WriteString("  make kubectl && PATH=$PATH:$PWD/bin\n")
	}
	fmt.Fprintf(&b, "  kubectl patch memcached/%s --type merge --patch '{\"spec\":{\"image\":\"memcached:1.6.45\"}}'\n", name)
	fmt.Fprintf(&b, "  kubectl scale memcached/%s --replicas=5\n", name)
	fmt.Fprintf(&b, "  kubectl delete pod %s-0 --wait=false\n", name)
	fmt.Fprintf(&b, "  kubectl describe memcached/%s\n", name)
	b.WriteString("\nCtrl-C stops the demo and removes everything.\n")
	return b.String()
}
