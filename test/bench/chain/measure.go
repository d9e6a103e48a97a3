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

// result is what an arm took: to create the parents, to scale them, and to keep them as they are.
type result struct {
	arm                    arm
	created, scaled, still phase
}

// phase is what one piece of work took until nothing was done any more.
type phase struct {
	// deployments is the time until every Deployment was as asked for, statuses until every status named all pods, and
	// settled until every parent said that it is ready, where it says so.
	deployments, statuses, settled time.Duration
	// controller and hook are processor time.
	controller, hook time.Duration
	requests         map[request]int
	// calls are those of the hook, by the hook's name.
	calls map[string]int
}

func measure(ctx context.Context, a arm, parents int, logs string) (_ result, err error) {
	r, err := a.start(ctx, logs)
	if err != nil {
		return result{arm: a}, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching() // before the API server is stopped, which waits for its watches to end
	v, err := watchNamespace(watching, r.cluster.Client, namespace)
	if err != nil {
		return result{arm: a}, err
	}
	m := &meter{running: r, view: v, audit: &auditLog{path: r.cluster.AuditLog, user: r.user}}
	result := result{arm: a}
	// The first parent has the controller start what it starts when there is one.
	if err := m.warmUp(ctx, a); err != nil {
		return result, fmt.Errorf("warming up: %w", err)
	}
	if result.created, err = m.phase(ctx, a, parents, 3, m.create); err != nil {
		return result, fmt.Errorf("creating: %w", err)
	}
	if result.scaled, err = m.phase(ctx, a, parents, 5, m.scale); err != nil {
		return result, fmt.Errorf("scaling: %w", err)
	}
	if result.still, err = m.watchStill(ctx, a); err != nil {
		return result, fmt.Errorf("at rest: %w", err)
	}
	return result, nil
}

// meter measures a running arm.
type meter struct {
	*running
	view  *view
	audit *auditLog
}

// warmUp has a parent come and go.
func (m *meter) warmUp(ctx context.Context, a arm) error {
	v, warm := m.view, parent(a, "warm-up", 1)
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
	if _, err := v.wait(ctx, time.Now(), 0, "objects that are left", func() int { return len(v.deployments) + len(v.nodes) }); err != nil {
		return err
	}
	requests, err := m.quiet(ctx)
	if err == nil && len(requests) == 0 {
		err = fmt.Errorf("no request of %s was logged: METACONTROLLER must name the real one", m.user)
	}
	return err
}

// phase does something to the parents and measures until they are all of that size and nothing is done any more.
func (m *meter) phase(ctx context.Context, a arm, parents, size int, do func(context.Context, arm, int, int) error) (phase, error) {
	before, err := m.read(ctx)
	if err != nil {
		return phase{}, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	start := time.Now()
	go func() {
		if err := do(ctx, a, parents, size); err != nil {
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
	if p.requests, err = m.quiet(ctx); err != nil {
		return p, err
	}
	after, err := m.read(ctx)
	p.controller, p.hook, p.calls = after.controller-before.controller, after.hook-before.hook, minus(after.calls, before.calls)
	return p, err
}

func (m *meter) create(ctx context.Context, a arm, parents, size int) error {
	return each(ctx, parents, func(ctx context.Context, name string) error {
		return m.cluster.Client.Create(ctx, parent(a, name, size))
	})
}

func (m *meter) scale(ctx context.Context, a arm, parents, size int) error {
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"size":%d}}`, size))
	return each(ctx, parents, func(ctx context.Context, name string) error {
		return m.cluster.Client.Patch(ctx, parent(a, name, size), patch)
	})
}

// each does something to every parent, several at once.
func each(ctx context.Context, parents int, do func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range parents {
		group.Go(func() error { return do(ctx, fmt.Sprintf("cache-%04d", i)) })
	}
	return group.Wait()
}

func parent(a arm, name string, size int) *unstructured.Unstructured {
	spec := map[string]any{"size": int64(size)}
	for field, value := range a.spec {
		spec[field] = value
	}
	m := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	m.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("Memcached"))
	m.SetNamespace(namespace)
	m.SetName(name)
	return m
}

// quiet waits until the controller has asked for nothing for three seconds, and returns what it has asked for before.
func (m *meter) quiet(ctx context.Context) (map[request]int, error) {
	all := map[request]int{}
	for calm := 0; calm < 3; calm++ {
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
			calm = -1
		}
	}
	return all, nil
}

// stillFor and resync are how long parents at rest are watched, and how often Metacontroller then looks at each.
const (
	stillFor = 20 * time.Second
	resync   = 10
)

// watchStill measures parents at rest. Metacontroller looks at each every five minutes, which is made more often here.
func (m *meter) watchStill(ctx context.Context, a arm) (phase, error) {
	if a.operator == "" {
		controller := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController", "metadata": map[string]any{"name": "memcached"},
		}}
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"resyncPeriodSeconds":%d}}`, resync))
		if err := m.cluster.Client.Patch(ctx, controller, patch); err != nil {
			return phase{}, err
		}
		if err := sleep(ctx, resync*time.Second); err != nil { // the change itself has every parent looked at
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
	if err := sleep(ctx, stillFor); err != nil {
		return phase{}, err
	}
	var p phase
	if p.requests, err = m.audit.next(); err != nil {
		return p, err
	}
	after, err := m.read(ctx)
	p.controller, p.hook, p.calls = after.controller-before.controller, after.hook-before.hook, minus(after.calls, before.calls)
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
