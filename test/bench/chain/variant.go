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

// The limits that every arm has towards the API server, and how much it may do at once.
var limits = []string{"--client-go-qps=200", "--client-go-burst=400", "--workers=10"}

// arm is one way to run the parents.
type arm struct {
	name string
	// spec is what the parents ask for beside their size.
	spec map[string]any
	// hook is a program that Metacontroller calls instead of this repository's; empty for that.
	hook string
	// operator is a program that does the work in Metacontroller's place; empty for that.
	operator string
}

func arms(folder string) []arm {
	lean := map[string]any{
		"podDisruptionBudget": map[string]any{"enabled": false},
		"networkPolicy":       map[string]any{"enabled": false},
		"rollout":             map[string]any{"minReadySeconds": int64(0)},
	}
	return []arm{
		{name: "this operator, less to do", spec: lean},
		{name: "controller-runtime", operator: filepath.Join(folder, "operator")},
		{name: "Metacontroller, typical Go hook", hook: filepath.Join(folder, "typical")},
		{name: "this operator"},
	}
}

// build builds the programs beside this repository's own, which every cluster builds itself.
func build(ctx context.Context, folder string) error {
	for name, source := range map[string][2]string{
		"typical":  {"..", "./peers/typical"},
		"operator": {".", "./operator"},
	} {
		command := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(folder, name), source[1])
		command.Dir = source[0]
		if text, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w: %s", name, err, text)
		}
	}
	return nil
}

// running is a cluster with an arm's programs in it.
type running struct {
	cluster *cluster.Cluster
	// controller and hook are process ids; hook is 0 where there is none.
	controller, hook int
	// user is who the controller is to the API server.
	user string
	// hookMetrics is where this repository's hook counts its calls; empty for another hook.
	hookMetrics string
	stop        func() error
}

func (a arm) start(ctx context.Context, logs string) (_ *running, err error) {
	r := &running{user: "metacontroller", stop: func() error { return nil }}
	options := cluster.Options{Progress: io.Discard, Logs: logs, MetacontrollerFlags: append([]string{"--discovery-interval=20s"}, limits...), Audit: []string{"metacontroller", "operator"}}
	if a.hook != "" {
		options.Front = func(string) (string, error) { return r.startOtherHook(ctx, a.hook) }
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
	if a.operator != "" {
		return r, r.replaceMetacontroller(ctx, a.operator)
	}
	if r.controller, err = pid(r.cluster.Metacontroller); err != nil {
		return nil, err
	}
	if a.hook == "" {
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

// replaceMetacontroller runs the operator, with the rights that its job takes.
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
