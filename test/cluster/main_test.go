package cluster

import (
	"cmp"
	"context"
	"os"
	"testing"
	"time"
)

// All tests share the cluster and the proxy between its Metacontroller and its hook.
var (
	shared *Cluster
	hook   *proxy
)

func TestMain(m *testing.M) {
	os.Exit(RunTests(m, startShared))
}

// startShared starts a new cluster, or connects to the cluster of CLUSTER_KUBECONFIG. An existing cluster also needs
// CLUSTER_HOST, the address at which its nodes reach this machine, and CLUSTER_RESTART_APISERVER, a shell command.
func startShared(ctx context.Context, options Options) (*Cluster, error) {
	var err error
	if hook, err = newProxy(cmp.Or(os.Getenv("CLUSTER_HOST"), "127.0.0.1")); err != nil {
		return nil, err
	}
	options.ReplaceURL = hook.replaceURL
	existing := Existing{Kubeconfig: os.Getenv("CLUSTER_KUBECONFIG"), RestartAPIServer: os.Getenv("CLUSTER_RESTART_APISERVER")}
	if existing.Kubeconfig != "" {
		waitTimeout = 3 * time.Minute // time to pull images
		shared, err = Connect(ctx, existing, options)
	} else {
		shared, err = Start(ctx, options)
	}
	return shared, err
}
