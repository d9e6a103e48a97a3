package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// parents is a cache of all parents of the cluster.
type parents struct{ cache cache.Cache }

func watch(ctx context.Context, config *rest.Config) (*parents, error) {
	c, err := cache.New(config, cache.Options{})
	if err != nil {
		return nil, err
	}
	go func() { _ = c.Start(ctx) }() // fails only if it is called twice
	return &parents{c}, nil
}

// wait waits until the condition holds for the given number of parents.
func (p *parents) wait(ctx context.Context, number int, condition func(*unstructured.Unstructured) bool) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("MemcachedList"))
		if err := p.cache.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
			return err
		}
		count := 0
		for i := range list.Items {
			if condition(&list.Items[i]) {
				count++
			}
		}
		if count == number {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %d of %d parents", context.Cause(ctx), count, number)
		case <-tick.C:
		}
	}
}

// isComplete returns a condition: the status names the given number of pods.
func isComplete(pods int) func(*unstructured.Unstructured) bool {
	return func(m *unstructured.Unstructured) bool {
		nodes, _, _ := unstructured.NestedSlice(m.Object, "status", "nodes")
		return len(nodes) == pods
	}
}

// isReady returns a condition: the parent is Ready with the given number of pods, and nothing progresses.
func isReady(pods int) func(*unstructured.Unstructured) bool {
	complete := isComplete(pods)
	return func(m *unstructured.Unstructured) bool {
		return complete(m) && cluster.Settled(m) && cluster.Condition(m, "Ready") != nil
	}
}
