package cluster

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// RunTests runs tests in the cluster that start returns, and returns the exit code for TestMain. It prints the logs of the hook
// and of Metacontroller after a failure, and stops the cluster, also after an interrupt.
func RunTests(tests interface{ Run() int }, start func(context.Context, Options) (*Cluster, error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := start(ctx, Options{Progress: os.Stdout, Logs: os.Getenv("CLUSTER_LOGS")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	interrupted := context.AfterFunc(ctx, func() {
		fmt.Fprintln(os.Stderr, "interrupted:", c.Stop())
		os.Exit(1)
	})
	code := tests.Run()
	if !interrupted() {
		select {} // until the interrupt handler has stopped the cluster and exits
	}
	if code != 0 {
		for _, name := range []string{"memcached-operator", "metacontroller"} {
			fmt.Printf("\nEnd of the log of %s:\n%s\n", name, c.Log(name, 4000))
		}
	}
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
