package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/example/memcached-operator/test/bench/process"
	"github.com/example/memcached-operator/test/cluster"
)

// limits are the client limits and the workers of every variant.
var limits = []string{"--client-go-qps=200", "--client-go-burst=400", "--workers=10"}

// variant is one implementation of the controller.
type variant struct {
	name string
	// spec has the fields of the parents in addition to size.
	spec map[string]any
	// hook is the binary of another hook, or empty for the hook of this repository.
	hook string
	// operator is the binary of an operator that replaces Metacontroller, or empty for Metacontroller.
	operator string
}

func variants(dir string) []variant {
	lean := map[string]any{
		"podDisruptionBudget": map[string]any{"enabled": false},
		"networkPolicy":       map[string]any{"enabled": false},
		"rollout":             map[string]any{"minReadySeconds": int64(0)},
	}
	return []variant{
		{name: "this operator, minimal", spec: lean},
		{name: "controller-runtime", operator: filepath.Join(dir, "operator")},
		{name: "Metacontroller, typical Go hook", hook: filepath.Join(dir, "typical")},
		{name: "this operator"},
	}
}

// build builds the other hook and the operator. Each cluster builds this repository's hook.
func build(ctx context.Context, dir string) error {
	const module = "github.com/example/memcached-operator/test/"
	command := exec.CommandContext(ctx, "go", "build", "-o", dir+"/", module+"cluster/bench/operator", module+"bench/peers/typical")
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the operator and the typical hook: %w: %s", err, text)
	}
	return nil
}

// running is a cluster with the programs of a variant.
type running struct {
	cluster *cluster.Cluster
	// controller and hook are process IDs. hook is 0 without a hook.
	controller, hook int
	// user is the name of the controller's user at the API server.
	user string
	// hookMetrics is the URL of the metrics of this repository's hook, or empty for another hook.
	hookMetrics string
	stop        func() error
}

func (v variant) start(ctx context.Context, logs string) (_ *running, err error) {
	r := &running{user: "metacontroller", stop: func() error { return nil }}
	options := cluster.Options{Progress: io.Discard, Logs: logs, MetacontrollerFlags: append([]string{"--discovery-interval=20s"}, limits...), Audit: []string{"metacontroller", "operator"}}
	if v.hook != "" {
		options.ReplaceURL = func(string) (string, error) { return r.startOtherHook(ctx, v.hook) }
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.stop())
		}
	}()
	if r.cluster, err = cluster.Start(ctx, options); err != nil {
		return nil, err
	}
	stopHook := r.stop
	r.stop = func() error { return errors.Join(r.cluster.Stop(), stopHook()) }
	if v.operator != "" {
		return r, r.replaceMetacontroller(ctx, v.operator)
	}
	if r.controller, err = pid(r.cluster.Metacontroller); err != nil {
		return nil, err
	}
	if v.hook == "" {
		r.hookMetrics = r.cluster.HookOps + "/metrics"
		r.hook, err = pid(r.cluster.Hook)
	}
	return r, err
}

func pid(part cluster.Killable) (int, error) {
	p, ok := part.(*cluster.Process)
	if !ok {
		return 0, fmt.Errorf("%T is not a process of this machine", part)
	}
	return p.PID(), nil
}

func (r *running) startOtherHook(ctx context.Context, program string) (string, error) {
	address, err := process.FreeAddress()
	if err != nil {
		return "", err
	}
	hook, err := process.Start(program, "-address", address)
	if err != nil {
		return "", err
	}
	r.hook, r.stop = hook.PID, func() error { hook.Stop(); return nil }
	return "http://" + address, hook.Listening(ctx, address)
}

// replaceMetacontroller runs the operator with the RBAC permissions that it needs.
func (r *running) replaceMetacontroller(ctx context.Context, program string) error {
	if err := r.cluster.Metacontroller.Kill(); err != nil {
		return err
	}
	r.user = "operator"
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	kubeconfig, err := r.cluster.User(ctx, r.user, []rbacv1.PolicyRule{
		{APIGroups: []string{"cache.example.com"}, Resources: []string{"memcacheds", "memcacheds/status"}, Verbs: all},
		{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: all},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}},
	})
	if err != nil {
		return err
	}
	operator, err := r.cluster.Run(program, append([]string{"--kubeconfig=" + kubeconfig}, limits...)...)
	if err != nil {
		return err
	}
	r.controller = operator.PID()
	return nil
}
