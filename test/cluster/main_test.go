package cluster

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// The cluster that all tests share, and the proxy between its Metacontroller and its hook.
var (
	shared *Cluster
	hook   *proxy
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	metacontroller, err := DescribeMetacontroller()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(metacontroller)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hook = newProxy()
	defer hook.server.Close()
	shared, err = Start(ctx, Options{Progress: os.Stdout, Logs: os.Getenv("CLUSTER_LOGS"), Front: hook.front})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	interrupted := context.AfterFunc(ctx, func() {
		fmt.Fprintln(os.Stderr, "interrupted:", shared.Stop())
		os.Exit(1)
	})
	code := m.Run()
	if !interrupted() {
		select {} // the cluster is being stopped, and then the program ends
	}
	if code != 0 {
		for _, p := range []*Process{shared.Hook, shared.Metacontroller} {
			fmt.Printf("\nThe end of the log of %s:\n%s\n", p.Name, shared.Log(p.Name, 4000))
		}
	}
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
