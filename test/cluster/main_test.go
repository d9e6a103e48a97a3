package cluster

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// All tests share the cluster and the proxy between its Metacontroller and its hook.
var (
	shared *Cluster
	hook   *proxy
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

// runTests runs the suite in a new cluster, or in the cluster of CLUSTER_KUBECONFIG. An existing cluster also needs
// CLUSTER_HOST, the address at which its nodes reach this machine, and CLUSTER_RESTART_APISERVER, a shell command.
func runTests(m *testing.M) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	existing := Existing{Kubeconfig: os.Getenv("CLUSTER_KUBECONFIG"), RestartAPIServer: os.Getenv("CLUSTER_RESTART_APISERVER")}
	metacontroller, err := DescribeMetacontroller()
	if existing.Kubeconfig != "" {
		metacontroller, err = "Metacontroller: installed in the cluster of "+existing.Kubeconfig, nil
	}
	if err == nil {
		fmt.Println(metacontroller)
		hook, err = newProxy(cmp.Or(os.Getenv("CLUSTER_HOST"), "127.0.0.1"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer hook.server.Close()
	options := Options{Progress: os.Stdout, Logs: os.Getenv("CLUSTER_LOGS"), ReplaceURL: hook.replaceURL}
	if existing.Kubeconfig != "" {
		waitTimeout = 3 * time.Minute // time to pull images
		shared, err = Connect(ctx, existing, options)
	} else {
		shared, err = Start(ctx, options)
	}
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
		select {} // until the interrupt handler has stopped the cluster and exits
	}
	if code != 0 {
		for _, name := range []string{"memcached-operator", "metacontroller"} {
			fmt.Printf("\nEnd of the log of %s:\n%s\n", name, shared.Log(name, 4000))
		}
	}
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
