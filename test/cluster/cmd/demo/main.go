// Demo starts a control plane on this machine with the hook and Metacontroller, applies the samples, and shows how they
// come alive. With -once it ends when they have.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/cluster"
)

// patience is how long -once waits for the samples once all programs run.
const patience = 3 * time.Minute

func main() {
	once := flag.Bool("once", false, "end when the samples have settled")
	logs := flag.String("logs", "", "folder to keep the programs' logs in (default: none is kept)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *once, *logs)
	if ctx.Err() != nil && !*once {
		return // Ctrl-C is how it ends
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, once bool, logs string) (err error) {
	start := time.Now()
	metacontroller, err := cluster.DescribeMetacontroller()
	if err != nil {
		return err
	}
	fmt.Println(metacontroller)
	c, err := cluster.Start(ctx, cluster.Options{Progress: os.Stdout, Logs: logs})
	if err != nil {
		return err
	}
	defer func() {
		fmt.Println("stopping everything")
		err = errors.Join(err, c.Stop())
	}()
	if err := c.ApplySamples(ctx); err != nil {
		return err
	}
	return watch(ctx, c, once, start)
}

// watch shows the parents until the demo ends: with once when they have settled, otherwise when it is interrupted.
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
			text += fmt.Sprintf("\nThe cluster does not answer: %s\n", err)
		}
		if settledAfter > 0 {
			text += fmt.Sprintf("\nSettled %s after the start.\n", settledAfter.Round(time.Second))
			if !once {
				text += invitation(c, parents)
			}
		}
		screen.show(text)
		switch {
		case once && settledAfter > 0:
			return nil
		case once && time.Since(up) > patience:
			return fmt.Errorf("the samples have not settled after %s", patience)
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

// invitation says how to reach the cluster from another terminal, and what is worth trying on the first Memcached.
func invitation(c *cluster.Cluster, parents []unstructured.Unstructured) string {
	name := "NAME"
	for _, p := range parents {
		if p.GetKind() == "Memcached" {
			name = p.GetName()
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nIn another terminal:\n\n  export KUBECONFIG=%s\n", c.Kubeconfig)
	if _, err := exec.LookPath("kubectl"); err != nil {
		fmt.Fprintf(&b, "  PATH=$PATH:%s\n", filepath.Dir(c.Kubectl))
	}
	fmt.Fprintf(&b, "  kubectl scale memcached/%s --replicas=5\n", name)
	fmt.Fprintf(&b, "  kubectl delete pod -l memcached_cr=%s\n", name)
	fmt.Fprintf(&b, "  kubectl describe memcached/%s\n", name)
	b.WriteString("\nCtrl-C ends it and leaves nothing behind.\n")
	return b.String()
}
