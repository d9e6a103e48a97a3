package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const namespace = "default"

// result has the measurements of a variant: creating the parents, scaling them, and the idle state.
type result struct {
	variant               variant
	created, scaled, idle phase
}

// phase has the measurements of one piece of work, until the controller sends no more requests.
type phase struct {
	// deployments is the time until all Deployments have the desired replicas, statuses until all statuses name all pods,
	// and settled until all parents are Ready, if they have this condition.
	deployments, statuses, settled time.Duration
	// controller and hook are CPU time.
	controller, hook time.Duration
	requests         map[request]int
	// calls is the number of calls by name of the hook.
	calls map[string]int
}

func measure(ctx context.Context, variant variant, parents int, logs string) (_ result, err error) {
	r, err := variant.start(ctx, logs)
	if err != nil {
		return result{variant: variant}, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching() // before the API server stops, because it waits for its watches to end
	v, err := watchNamespace(watching, r.cluster.Client, namespace)
	if err != nil {
		return result{variant: variant}, err
	}
	m := &meter{running: r, view: v, audit: &auditLog{path: r.cluster.AuditLog, user: r.user}}
	result := result{variant: variant}
	// The first parent makes the controller start its watches.
	if err := m.warmUp(ctx, variant); err != nil {
		return result, fmt.Errorf("warming up: %w", err)
	}
	if result.created, err = m.phase(ctx, variant, parents, 3, m.create); err != nil {
		return result, fmt.Errorf("creating: %w", err)
	}
	if result.scaled, err = m.phase(ctx, variant, parents, 5, m.scale); err != nil {
		return result, fmt.Errorf("scaling: %w", err)
	}
	if result.idle, err = m.measureIdle(ctx, variant); err != nil {
		return result, fmt.Errorf("idle: %w", err)
	}
	return result, nil
}

// meter measures a running variant.
type meter struct {
	*running
	view  *view
	audit *auditLog
}

// warmUp creates and deletes a parent.
func (m *meter) warmUp(ctx context.Context, variant variant) error {
	v, warm := m.view, parent(variant, "warm-up", 1)
	if err := m.cluster.Client.Create(ctx, warm); err != nil {
		return err
	}
	if _, err := v.wait(ctx, time.Now(), 1, "status of the first parent", func() int {
		return count(v.nodes, func(nodes int) bool { return nodes == 1 })
	}); err != nil {
		return err
	}
	if err := m.cluster.Client.Delete(ctx, warm); err != nil {
		return err
	}
	if _, err := v.wait(ctx, time.Now(), 0, "remaining objects", func() int { return len(v.deployments) + len(v.nodes) }); err != nil {
		return err
	}
	requests, err := m.waitQuiet(ctx)
	if err == nil && len(requests) == 0 {
		err = fmt.Errorf("the audit log has no request of %s: set METACONTROLLER to the path of the real Metacontroller", m.user)
	}
	return err
}

// phase calls do for the parents and measures until all have the size and the controller sends no more requests.
func (m *meter) phase(ctx context.Context, variant variant, parents, size int, do func(context.Context, variant, int, int) error) (phase, error) {
	before, err := m.read(ctx)
	if err != nil {
		return phase{}, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	start := time.Now()
	go func() {
		if err := do(ctx, variant, parents, size); err != nil {
			fail(err)
		}
	}()
	var p phase
	v := m.view
	if p.deployments, err = v.wait(ctx, start, parents, "Deployments", func() int {
		return count(v.deployments, func(replicas int) bool { return replicas == size })
	}); err != nil {
		return p, err
	}
	if p.statuses, err = v.wait(ctx, start, parents, "statuses that name all pods", func() int {
		return count(v.nodes, func(nodes int) bool { return nodes == size })
	}); err != nil {
		return p, err
	}
	if m.hookMetrics != "" {
		if p.settled, err = v.wait(ctx, start, parents, "ready parents", func() int {
			return count(v.settled, func(settled bool) bool { return settled })
		}); err != nil {
			return p, err
		}
	}
	if p.requests, err = m.waitQuiet(ctx); err != nil {
		return p, err
	}
	after, err := m.read(ctx)
	p.controller, p.hook, p.calls = after.controller-before.controller, after.hook-before.hook, subtract(after.calls, before.calls)
	return p, err
}

func (m *meter) create(ctx context.Context, variant variant, parents, size int) error {
	return each(ctx, parents, func(ctx context.Context, name string) error {
		return m.cluster.Client.Create(ctx, parent(variant, name, size))
	})
}

func (m *meter) scale(ctx context.Context, variant variant, parents, size int) error {
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"size":%d}}`, size))
	return each(ctx, parents, func(ctx context.Context, name string) error {
		return m.cluster.Client.Patch(ctx, parent(variant, name, size), patch)
	})
}

// each calls do for every parent, up to 16 at the same time.
func each(ctx context.Context, parents int, do func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range parents {
		group.Go(func() error { return do(ctx, fmt.Sprintf("cache-%04d", i)) })
	}
	return group.Wait()
}

func parent(variant variant, name string, size int) *unstructured.Unstructured {
	spec := map[string]any{"size": int64(size)}
	for field, value := range variant.spec {
		spec[field] = value
	}
	m := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	m.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("Memcached"))
	m.SetNamespace(namespace)
	m.SetName(name)
	return m
}

// waitQuiet waits until the controller has sent no requests for three seconds, and returns the earlier requests.
func (m *meter) waitQuiet(ctx context.Context) (map[request]int, error) {
	all := map[request]int{}
	for quiet := 0; quiet < 3; quiet++ {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Second):
		}
		more, err := m.audit.next()
		if err != nil {
			return nil, err
		}
		for r, n := range more {
			all[r] += n
			quiet = -1
		}
	}
	return all, nil
}

// idleTime is the duration of the measurement of idle parents. resync is their resync period in seconds.
const (
	idleTime = 20 * time.Second
	resync   = 10
)

// measureIdle measures idle parents. It shortens Metacontroller's resync period, which is five minutes by default.
func (m *meter) measureIdle(ctx context.Context, variant variant) (phase, error) {
	if variant.operator == "" {
		controller := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController", "metadata": map[string]any{"name": "memcached"},
		}}
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"resyncPeriodSeconds":%d}}`, resync))
		if err := m.cluster.Client.Patch(ctx, controller, patch); err != nil {
			return phase{}, err
		}
		if err := sleep(ctx, resync*time.Second); err != nil { // the change itself triggers a sync of every parent
			return phase{}, err
		}
	}
	if _, err := m.audit.next(); err != nil {
		return phase{}, err
	}
	before, err := m.read(ctx)
	if err != nil {
		return phase{}, err
	}
	if err := sleep(ctx, idleTime); err != nil {
		return phase{}, err
	}
	var p phase
	if p.requests, err = m.audit.next(); err != nil {
		return p, err
	}
	after, err := m.read(ctx)
	p.controller, p.hook, p.calls = after.controller-before.controller, after.hook-before.hook, subtract(after.calls, before.calls)
	return p, err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
