package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/internal/process"
)

// limits are the client limits and the workers of every variant.
var limits = []string{"--client-go-qps=200", "--client-go-burst=400", "--workers=10"}

// variant is one implementation of the controller.
type variant struct {
	name string
	// spec has the fields of the parents in addition to size.
	spec map[string]any
	// deploymentsOnly lists no other kind of child in the CompositeController, as manifests/minimal does.
	deploymentsOnly bool
	// hook is the command of another hook, or empty for the hook of this repository.
	hook []string
	// operator is the command of an operator that replaces Metacontroller, or empty for Metacontroller.
	operator []string
}

// minimal creates Deployments only. The other programs create the same Deployments.
var minimal = variant{
	name:            "this operator, minimal",
	deploymentsOnly: true,
	spec:            map[string]any{"rollout": map[string]any{"minReadySeconds": int64(0)}},
}

func variants(dir string) []variant {
	deployment := "--deployment=" + filepath.Join(dir, deploymentFile)
	return []variant{
		{name: "controller-runtime", operator: []string{filepath.Join(dir, "operator"), deployment}},
		{name: "Metacontroller, typical Go hook", hook: []string{filepath.Join(dir, "typical"), deployment}},
		minimal,
		{name: "this operator"},
		{name: "this operator, StatefulSets", spec: map[string]any{"workload": "StatefulSet"}},
	}
}

// running is a cluster with the programs of a variant.
type running struct {
	cluster          *cluster.Cluster
	parents          *parents
	controller, hook *process.Process // without a hook, hook is nil
	user             string           // of the controller at the API server
	hasConditions    bool
}

func (v variant) start(ctx context.Context) (*running, error) {
	r := &running{user: cluster.MetacontrollerUser}
	address, err := process.FreeAddress()
	if err != nil {
		return nil, err
	}
	options := cluster.Options{
		Progress:            io.Discard,
		NoKubectl:           true,
		MetacontrollerFlags: append([]string{"--discovery-interval=20s"}, limits...),
		Audit:               []string{cluster.MetacontrollerUser, "operator"},
	}
	if v.hook != nil {
		options.ReplaceURL = func(string) (string, error) { return "http://" + address, nil }
	}
	if r.cluster, err = cluster.Start(ctx, options); err != nil {
		return nil, err
	}
	if err := v.startPrograms(ctx, r, address); err != nil {
		return nil, errors.Join(err, r.cluster.Stop())
	}
	return r, nil
}

func (v variant) startPrograms(ctx context.Context, r *running, address string) (err error) {
	if v.operator != nil {
		return r.replaceMetacontroller(ctx, v.operator)
	}
	r.controller = r.cluster.Metacontroller.(*process.Process)
	if v.hook == nil {
		r.hook, r.hasConditions = r.cluster.Hook.(*process.Process), true
		if v.deploymentsOnly {
			return listDeploymentsOnly(ctx, r.cluster.Client)
		}
		return nil
	}
	r.hook, err = r.cluster.Run(v.hook[0], append(v.hook[1:], "--address="+address)...)
	return err
}

// replaceMetacontroller runs the operator with the RBAC permissions that it needs.
func (r *running) replaceMetacontroller(ctx context.Context, command []string) error {
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
	r.controller, err = r.cluster.Run(command[0], slices.Concat(command[1:], []string{"--kubeconfig=" + kubeconfig}, limits)...)
	return err
}

func listDeploymentsOnly(ctx context.Context, c client.Client) error {
	var controller unstructured.Unstructured
	controller.SetAPIVersion("metacontroller.k8s.io/v1alpha1")
	controller.SetKind("CompositeController")
	controller.SetName("memcached")
	const patch = `{"spec":{"childResources":[{"apiVersion":"apps/v1","resource":"deployments","updateStrategy":{"method":"InPlace"}}]}}`
	return c.Patch(ctx, &controller, client.RawPatch(types.MergePatchType, []byte(patch)))
}
