package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/resources"
)

// routesLabel has the numbers of servers that a proxy knows and its phase: "4", or "0-3_0-2_preparing".
const routesLabel = "memcached-operator.example.com/proxy-routes"

// newProxied creates a cache whose warm-up takes its whole time: kwok.yaml lets no Job with the label copy items.
func newProxied(t *testing.T, size, warmupSeconds int) *unstructured.Unstructured {
	t.Helper()
	return newMemcachedOf(t, newNamespace(t), "cache", size, map[string]any{
		"proxy": warmupOf(warmupSeconds), "podLabels": map[string]any{"test-copies": "nothing"},
	})
}

func warmupOf(seconds int) map[string]any {
	return map[string]any{"warmup": map[string]any{"maxSeconds": int64(seconds)}}
}

// TestCopy checks that a Job ends the warm-up, which would take ten minutes, and that each of the two Jobs of a decrease is created once.
func TestCopy(t *testing.T) {
	because(t, "a decrease begins when the servers that stay are clean, and a warm-up ends when all items have moved")
	t.Parallel()
	m := newMemcachedOf(t, newNamespace(t), "cache", 4, map[string]any{"proxy": map[string]any{}})
	jobs := watchJobs(t, m.GetNamespace())
	setSize(t, m, 3)
	waitReady(t, m, 3, 2*waitTimeout)
	kubectl(t, "wait", "--namespace", m.GetNamespace(), "--for=delete", "job/cache-move", "--timeout=30s")
	if created := jobs(); created != 2 {
		t.Errorf("%d Jobs were created for a decrease, want one that cleans and one that copies", created)
	}
}

// watchJobs returns a function that returns how many Jobs were created in a namespace.
func watchJobs(t *testing.T, namespace string) func() int {
	t.Helper()
	var mutex sync.Mutex
	seen := map[types.UID]bool{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			var jobs batchv1.JobList
			if err := shared.Client.List(ctx, &jobs, client.InNamespace(namespace)); err == nil {
				mutex.Lock()
				for _, job := range jobs.Items {
					seen[job.UID] = true
				}
				mutex.Unlock()
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return func() int {
		mutex.Lock()
		defer mutex.Unlock()
		return len(seen)
	}
}

func TestResizeWithProxies(t *testing.T) {
	because(t, "servers must exist before the first proxy uses them, and until the last one has stopped using them")
	t.Parallel()
	m := newProxied(t, 4, 3)
	service := get(t, serviceKind, m.GetNamespace(), "cache-proxy")
	if address, _, _ := unstructured.NestedString(service.Object, "spec", "clusterIP"); address == "" || address == "None" {
		t.Errorf("the Service of the proxies has no address: %v", service.Object["spec"])
	}
	history := watchRoutes(t, m)
	for _, step := range []struct {
		size int
		want []string
	}{
		{3, []string{"servers 0-3, routes 0-3", "servers 0-3, routes 0-3_0-2_announcing", "servers 0-3, routes 0-3_0-2_preparing", "servers 0-3, routes 0-3_0-2_warming", "servers 0-3, routes 0-3_0-2_closing", "servers 0-3, routes 0-2", "servers 0-2, routes 0-2"}},
		{4, []string{"servers 0-2, routes 0-2", "servers 0-3, routes 0-2_0-3_announcing", "servers 0-3, routes 0-2_0-3_preparing", "servers 0-3, routes 0-2_0-3_warming", "servers 0-3, routes 0-2_0-3_closing", "servers 0-3, routes 0-3"}},
	} {
		setSize(t, m, step.size)
		waitReady(t, m, step.size, 2*waitTimeout)
		if got := history(); !slices.Equal(got, step.want) {
			t.Errorf("resize to %d: the cluster had\n%q, want\n%q", step.size, got, step.want)
		}
	}
	servers, _, _ := unstructured.NestedString(m.Object, "status", "proxy", "servers")
	ready, _, _ := unstructured.NestedInt64(m.Object, "status", "proxy", "readyReplicas")
	if _, resizing, _ := unstructured.NestedMap(m.Object, "status", "proxy", "move"); servers != "0-3" || ready != 2 || resizing {
		t.Errorf("status.proxy is %v", m.Object["status"].(map[string]any)["proxy"])
	}
	kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", `{"spec":{"workload":"StatefulSet","proxy":null}}`)
	eventually(t, waitTimeout, "the proxies are deleted", func(context.Context) error {
		if out, err := tryKubectl(t, "get", "deployment,service,poddisruptionbudget,networkpolicy", "--namespace", m.GetNamespace(), "--output=name"); err != nil || strings.Contains(out, "proxy") {
			return fmt.Errorf("%s %w", out, err)
		}
		return nil
	})
	waitReady(t, m, 4, waitTimeout)
}

// TestHookKilledDuringAWarmup is not parallel, because all tests share the hook.
func TestHookKilledDuringAWarmup(t *testing.T) {
	because(t, "a hook that is down when a warm-up ends must not cost keys, and the resize must continue")
	m := newProxied(t, 3, 5)
	history := watchRoutes(t, m)
	setSize(t, m, 2)
	eventually(t, 2*waitTimeout, "the warm-up has begun", func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		if _, found, _ := unstructured.NestedString(m.Object, "status", "proxy", "move", "until"); !found {
			return errors.New("no time in status.proxy.move.until")
		}
		return nil
	})
	must(t, shared.Hook.Kill())
	restarted := false
	defer func() {
		if !restarted {
			must(t, shared.Hook.Start())
		}
	}()
	waitForEvent(t, m, "EOF") // Metacontroller has called the hook after the warm-up
	if got, want := history(), []string{"servers 0-2, routes 0-2", "servers 0-2, routes 0-2_0-1_announcing", "servers 0-2, routes 0-2_0-1_preparing", "servers 0-2, routes 0-2_0-1_warming"}; !slices.Equal(got, want) {
		t.Errorf("while the hook is down, the cluster had\n%q, want\n%q", got, want)
	}
	restarted = true
	must(t, shared.Hook.Start())
	waitReady(t, m, 2, 2*waitTimeout)
	if got, want := history(), []string{"servers 0-2, routes 0-2_0-1_warming", "servers 0-2, routes 0-2_0-1_closing", "servers 0-2, routes 0-1", "servers 0-1, routes 0-1"}; !slices.Equal(got, want) {
		t.Errorf("after the hook has started, the cluster had\n%q, want\n%q", got, want)
	}
}

// watchRoutes reads the servers and the routes of the proxies until the test ends. It fails the test when a proxy runs that uses
// a server that the StatefulSet does not have. The returned function returns the different states since its last call.
func watchRoutes(t *testing.T, m *unstructured.Unstructured) (history func() []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	states, done := make(chan string, 1000), make(chan struct{})
	key := client.ObjectKeyFromObject(m) // m itself changes while the goroutine reads
	last, err := readRoutes(ctx, key)
	must(t, err)
	states <- last
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			state, err := readRoutes(ctx, key)
			switch {
			case ctx.Err() != nil:
			case err != nil:
				t.Error(err)
			case state != "" && state != last:
				states <- state
				last = state
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	var seen []string
	return func() []string {
		if len(seen) > 0 {
			seen = seen[len(seen)-1:]
		}
		for {
			select {
			case state := <-states:
				seen = append(seen, state)
			default:
				return seen
			}
		}
	}
}

// readRoutes reads the pods of the proxies before the StatefulSet, so that a proxy that is gone by then does not matter.
func readRoutes(ctx context.Context, memcached client.ObjectKey) (string, error) {
	var pods corev1.PodList
	if err := shared.Client.List(ctx, &pods, client.InNamespace(memcached.Namespace), client.MatchingLabels{"memcached_proxy": memcached.Name}); err != nil {
		return "", err
	}
	var deployment appsv1.Deployment
	if err := shared.Client.Get(ctx, client.ObjectKey{Namespace: memcached.Namespace, Name: memcached.Name + "-proxy"}, &deployment); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	var set appsv1.StatefulSet
	if err := shared.Client.Get(ctx, memcached, &set); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	run := moves.Range{Count: *set.Spec.Replicas}
	if set.Spec.Ordinals != nil {
		run.First = set.Spec.Ordinals.Start
	}
	runs := func(servers moves.Range) bool { return servers.First >= run.First && servers.End() <= run.End() }
	for _, pod := range pods.Items {
		if routes := moves.ParseRoutes(pod.Labels[routesLabel]); routes == (moves.Routes{}) || !runs(routes.Known()) {
			return "", fmt.Errorf("pod %s has the routes %s to servers %s", pod.Name, pod.Labels[routesLabel], run)
		}
	}
	if generation := resources.ParentGenerationAnnotation; deployment.Annotations[generation] != set.Annotations[generation] {
		return "", nil // until the sync that has written one of them has written the other one
	}
	if routes := moves.ParseRoutes(deployment.Spec.Template.Labels[routesLabel]); routes.Phase == moves.Announcing && !runs(routes.To.Span()) {
		return "", nil // until the next sync adds the servers
	}
	return fmt.Sprintf("servers %s, routes %s", run, deployment.Spec.Template.Labels[routesLabel]), nil
}
