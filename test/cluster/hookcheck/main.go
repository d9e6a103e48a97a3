// Hookcheck has the checks of hookcheck --cluster: it runs a hook with Metacontroller, or its stand-in, in a real control plane. It
// reads a check.ClusterRequest from standard input, and writes a check.ClusterReport to standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/hookcheck/check"
)

// endless is how long a hook may write before this counts as for ever.
const endless = time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	var request check.ClusterRequest
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	call, err := request.Endpoint.Connect(request.Controller)
	if err != nil {
		return err
	}
	var crds check.CRDs
	for _, crd := range request.CRDs {
		if crds, err = crds.Add(encode(crd)); err != nil {
			return err
		}
	}
	parents, others, err := (&check.Subject{CRDs: crds}).Parents(request.Controller, request.Samples)
	if err != nil {
		return err
	}
	r := new(runner)
	subject := r.add(request.Controller, crds, call)
	defer subject.close()
	if err := r.start(ctx, request.CRDs); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.cluster.Stop()) }()
	for _, parent := range parents {
		if err := r.create(ctx, subject, parent, others); err != nil {
			return err
		}
	}
	report, err := r.run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// start starts a cluster with the CRDs and the CompositeControllers of all subjects.
func (r *runner) start(ctx context.Context, crds []map[string]any) error {
	dir, err := os.MkdirTemp("", "hookcheck-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	options := cluster.Options{Progress: os.Stderr, NoKubectl: true, Logs: os.Getenv("CLUSTER_LOGS")}
	for i, crd := range crds {
		file := filepath.Join(dir, fmt.Sprintf("%d.yaml", i)) // YAML has JSON
		if err := os.WriteFile(file, encode(crd), 0o600); err != nil {
			return err
		}
		options.CRDs = append(options.CRDs, file)
	}
	for _, s := range r.subjects {
		options.Controllers = append(options.Controllers, &unstructured.Unstructured{Object: s.controller})
	}
	r.cluster, err = cluster.Start(ctx, options)
	return err
}

func encode(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return body
}
