package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// view is the observed state of the parents and their Deployments in one namespace.
type view struct {
	mutex       sync.Mutex
	deployments map[string]int // spec.replicas by name
	nodes       map[string]int // number of status.nodes by name of the parent
	settled     map[string]bool
	changed     chan struct{} // full if the view has changed since the last receive
	ended       error
}

func watchNamespace(ctx context.Context, c client.WithWatch, namespace string) (*view, error) {
	v := &view{deployments: map[string]int{}, nodes: map[string]int{}, settled: map[string]bool{}, changed: make(chan struct{}, 1)}
	parents := &unstructured.UnstructuredList{}
	parents.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("MemcachedList"))
	for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, parents} {
		events, err := c.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			return nil, err
		}
		go v.follow(ctx, c, list, events)
	}
	return v, nil
}

// follow records events until the context ends. The API server ends a slow watch; a new watch starts with all current
// objects.
func (v *view) follow(ctx context.Context, c client.WithWatch, list client.ObjectList, events watch.Interface) {
	for {
		for event := range events.ResultChan() {
			v.mutex.Lock()
			v.record(event)
			v.mutex.Unlock()
			v.notify()
		}
		var err error
		if events, err = c.Watch(ctx, list, client.InNamespace(namespace)); err != nil {
			v.mutex.Lock()
			v.ended = fmt.Errorf("watching again: %w", err)
			v.mutex.Unlock()
			v.notify()
			return
		}
	}
}

func (v *view) record(event watch.Event) {
	switch object := event.Object.(type) {
	case *appsv1.Deployment:
		v.deployments[object.Name] = int(*object.Spec.Replicas)
		if event.Type == watch.Deleted {
			delete(v.deployments, object.Name)
		}
	case *unstructured.Unstructured:
		nodes, _, _ := unstructured.NestedStringSlice(object.Object, "status", "nodes")
		v.nodes[object.GetName()] = len(nodes)
		v.settled[object.GetName()] = cluster.Settled(object) && cluster.Condition(object, "Ready") != nil
		if event.Type == watch.Deleted {
			delete(v.nodes, object.GetName())
			delete(v.settled, object.GetName())
		}
	}
}

func (v *view) notify() {
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// wait returns the time from start until passed returns parents. It calls passed at most every 10 ms.
func (v *view) wait(ctx context.Context, start time.Time, parents int, what string, passed func() int) (time.Duration, error) {
	limit := time.NewTimer(10 * time.Minute)
	defer limit.Stop()
	for {
		v.mutex.Lock()
		count, ended := passed(), v.ended
		v.mutex.Unlock()
		if count == parents {
			return time.Since(start), nil
		}
		if ended != nil {
			return 0, ended
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-limit.C:
			return 0, fmt.Errorf("%s: %d of %d after ten minutes", what, count, parents)
		case <-v.changed:
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// count returns the number of values for which pass returns true.
func count[V any](values map[string]V, pass func(V) bool) (n int) {
	for _, value := range values {
		if pass(value) {
			n++
		}
	}
	return n
}
