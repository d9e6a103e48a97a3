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

// The cluster that all tests share, and the proxy between its Metacontroller and its hook.
var (
	shared *Cluster
	hook   *proxy
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

// The suite runs in a cluster of its own, or in the one that CLUSTER_KUBECONFIG names. That needs CLUSTER_HOST, the address
// at which its nodes reach this machine, and CLUSTER_RESTART_APISERVER, a shell command.
func runTests(m *testing.M) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	existing := Existing{Kubeconfig: os.Getenv("CLUSTER_KUBECONFIG"), RestartAPIServer: os.Getenv("CLUSTER_RESTART_APISERVER")}
	metacontroller, err := DescribeMetacontroller()
	if existing.Kubeconfig != "" {
		metacontroller, err = "Metacontroller: the one in the cluster of "+existing.Kubeconfig, nil
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
	options := Options{Progress: os.Stdout, Logs: os.Getenv("CLUSTER_LOGS"), Front: hook.front}
	if existing.Kubeconfig != "" {
		patience = 3 * time.Minute // images are pulled
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
		select {} // the cluster is being stopped, and then the program ends
	}
	if code != 0 {
		for _, name := range []string{"memcached-operator", "metacontroller"} {
			fmt.Printf("\nThe end of the log of %s:\n%s\n", name, shared.Log(name, 4000))
		}
	}
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
