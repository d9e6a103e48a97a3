package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// result has the measurements of a variant.
type result struct {
	variant         string
	created, scaled phase
}

// phase has the measurements of one piece of work, until the controller sends no more requests.
type phase struct {
	pods     time.Duration // until all pods exist
	complete time.Duration // until all statuses name all pods
	ready    time.Duration // until all parents are Ready; 0 if the variant has no conditions
	cpu      cpuTime
	requests map[request]int
	events   map[string]int64 // of the parents' objects, by kind
}

func measure(ctx context.Context, v variant, parents, namespaces int) (_ result, err error) {
	r, err := v.start(ctx)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, r.cluster.Stop()) }()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel() // before the API server stops, because it waits for its watches to end
	if r.parents, err = watch(ctx, r.cluster.Config); err != nil {
		return result{}, err
	}
	if err := r.warmUp(ctx, v); err != nil {
		return result{}, fmt.Errorf("warm up: %w", err)
	}
	all, err := createNamespaces(ctx, r.cluster.Client, v, parents, namespaces)
	if err != nil {
		return result{}, err
	}
	result := result{variant: v.name}
	result.created, err = r.phase(ctx, all, 3, func(m *unstructured.Unstructured) error { return r.cluster.Client.Create(ctx, m) })
	if err != nil {
		return result, fmt.Errorf("create: %w", err)
	}
	scale := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"size":5}}`))
	result.scaled, err = r.phase(ctx, all, 5, func(m *unstructured.Unstructured) error { return r.cluster.Client.Patch(ctx, m, scale) })
	if err != nil {
		return result, fmt.Errorf("scale: %w", err)
	}
	return result, nil
}

// warmUp creates and deletes a parent, so that the controller starts its watches.
func (r *running) warmUp(ctx context.Context, v variant) error {
	first := parent(v, metav1.NamespaceDefault, "warm-up", 1)
	if err := r.cluster.Client.Create(ctx, first); err != nil {
		return err
	}
	if err := r.parents.wait(ctx, 1, isComplete(1)); err != nil {
		return err
	}
	if err := r.cluster.Client.Delete(ctx, first); err != nil {
		return err
	}
	if err := r.parents.wait(ctx, 0, func(*unstructured.Unstructured) bool { return true }); err != nil {
		return err
	}
	if err := r.parents.waitPods(ctx, 0); err != nil {
		return err
	}
	if err := r.waitQuiet(ctx); err != nil {
		return err
	}
	requests, err := r.countRequests(0)
	if err == nil && len(requests) == 0 {
		return fmt.Errorf("the audit log has no request of %s: set METACONTROLLER to the path of the real Metacontroller", r.user)
	}
	return err
}

// phase calls do for the parents, up to 16 at the same time, and measures until the controller sends no more requests.
func (r *running) phase(ctx context.Context, parents []*unstructured.Unstructured, size int, do func(*unstructured.Unstructured) error) (p phase, err error) {
	offset, err := r.auditSize()
	if err != nil {
		return p, err
	}
	cpu, err := r.cpu(ctx)
	if err != nil {
		return p, err
	}
	events := r.parents.eventCounts()
	start := time.Now()
	var group errgroup.Group
	group.SetLimit(16)
	for _, m := range parents {
		group.Go(func() error { return do(m) })
	}
	if err := group.Wait(); err != nil {
		return p, err
	}
	if err := r.parents.waitPods(ctx, len(parents)*size); err != nil {
		return p, err
	}
	p.pods = time.Since(start)
	if err := r.parents.wait(ctx, len(parents), isComplete(size)); err != nil {
		return p, err
	}
	p.complete = time.Since(start)
	if r.hasConditions {
		if err := r.parents.wait(ctx, len(parents), isReady(size)); err != nil {
			return p, err
		}
		p.ready = time.Since(start)
	}
	if err := r.waitQuiet(ctx); err != nil {
		return p, err
	}
	if p.requests, err = r.countRequests(offset); err != nil {
		return p, err
	}
	p.events = r.parents.eventCounts()
	for kind, before := range events {
		p.events[kind] -= before
	}
	after, err := r.cpu(ctx)
	p.cpu = after.since(cpu)
	return p, err
}

// createNamespaces returns the parents, spread over new namespaces.
func createNamespaces(ctx context.Context, c client.Client, v variant, parents, namespaces int) ([]*unstructured.Unstructured, error) {
	for i := range namespaces {
		if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("bench-%d", i)}}); err != nil {
			return nil, err
		}
	}
	var all []*unstructured.Unstructured
	for i := range parents {
		all = append(all, parent(v, fmt.Sprintf("bench-%d", i%namespaces), fmt.Sprintf("cache-%04d", i), 3))
	}
	return all, nil
}

func parent(v variant, namespace, name string, size int) *unstructured.Unstructured {
	spec := map[string]any{"size": int64(size)}
	for field, value := range v.spec {
		spec[field] = value
	}
	m := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	m.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("Memcached"))
	m.SetNamespace(namespace)
	m.SetName(name)
	return m
}
