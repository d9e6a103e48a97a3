package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// parents is a cache of all parents of the cluster, which counts the events of their workloads and pods. Each event of a child or
// of a related object is a reason for a sync.
type parents struct {
	cache  cache.Cache
	events map[string]*atomic.Int64 // by kind
}

func watch(ctx context.Context, config *rest.Config) (*parents, error) {
	c, err := cache.New(config, cache.Options{})
	if err != nil {
		return nil, err
	}
	go func() { _ = c.Start(ctx) }() // fails only if it is called twice
	p := &parents{c, map[string]*atomic.Int64{}}
	for _, kind := range []schema.GroupVersionKind{
		appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"), corev1.SchemeGroupVersion.WithKind("Pod"),
	} {
		if err := p.count(ctx, kind); err != nil {
			return nil, fmt.Errorf("count the events of %s: %w", kind.Kind, err)
		}
	}
	return p, nil
}

func (p *parents) count(ctx context.Context, kind schema.GroupVersionKind) error {
	var object metav1.PartialObjectMetadata
	object.SetGroupVersionKind(kind)
	informer, err := p.cache.GetInformer(ctx, &object)
	if err != nil {
		return err
	}
	var events atomic.Int64
	p.events[kind.Kind] = &events
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add(1) },
		UpdateFunc: func(any, any) { events.Add(1) },
		DeleteFunc: func(any) { events.Add(1) },
	})
	return err
}

// eventCounts returns the number of events so far, by kind.
func (p *parents) eventCounts() map[string]int64 {
	counts := map[string]int64{}
	for kind, events := range p.events {
		counts[kind] = events.Load()
	}
	return counts
}

// wait waits until the condition holds for the given number of parents.
func (p *parents) wait(ctx context.Context, number int, condition func(*unstructured.Unstructured) bool) error {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("MemcachedList"))
	return p.waitFor(ctx, number, &list, func() (count int) {
		for i := range list.Items {
			if condition(&list.Items[i]) {
				count++
			}
		}
		return count
	})
}

// waitPods waits until the given number of pods exists.
func (p *parents) waitPods(ctx context.Context, number int) error {
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	return p.waitFor(ctx, number, &list, func() int { return len(list.Items) })
}

// waitFor lists objects until count returns the given number.
func (p *parents) waitFor(ctx context.Context, number int, list client.ObjectList, count func() int) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := p.cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return err
		}
		got := count()
		if got == number {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %d of %d objects", context.Cause(ctx), got, number)
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
