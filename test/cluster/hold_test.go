package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

const (
	// holdQuiet is how long no proxy is connected before the sidecar hold lets memcached stop, and holdStop the part of the grace period in which
	// memcached stops in any case.
	holdQuiet = 3 * time.Second
	holdStop  = 5 * time.Second
)

// simulateHold simulates what kwok does not run: the sidecar hold, the connections that it counts, and the kubelet that ends the pod. A server
// that is being deleted stays, with the status of a pod that runs, until no running proxy has had its ordinal in the label with the routes for
// three seconds, or until its grace period is about to end. Then it is deleted with a grace period of 0, as a kubelet does. A real sidecar
// sees connections and no labels: test/servers and test/drain check that proxies connect to the servers of their routes alone.
//
// The returned function returns which servers have ended, and why. In the cluster of an existing kubelet, it returns nothing. When the test
// ends, all servers of the namespace must end in seconds after the Memcached is deleted.
func simulateHold(t *testing.T, namespace string) (ended func() []string) {
	t.Helper()
	if shared.env == nil {
		return func() []string { return nil }
	}
	ctx, cancel := context.WithCancel(context.Background()) // the context of the test ends before its cleanup
	h, done := &holds{namespace: namespace, used: map[types.UID]time.Time{}}, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := h.step(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		if out, err := shared.RunKubectl(ctx, "delete", "--namespace", namespace, "memcached", "--all", "--wait=false"); err != nil {
			t.Error(err, out)
		}
		if err := poll(ctx, waitTimeout, "all pods of a deleted cache end", func(ctx context.Context) error {
			left, err := names(ctx, &corev1.PodList{}, namespace)
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("%v exist", left)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		cancel()
		<-done
	})
	return h.all
}

// holds ends the servers of a namespace.
type holds struct {
	namespace string
	// used is when a server that is being deleted may have been in use last.
	used map[types.UID]time.Time

	mutex sync.Mutex
	ended []string
}

func (h *holds) all() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.ended)
}

// step ends the servers that nothing holds any more.
func (h *holds) step(ctx context.Context) error {
	var pods corev1.PodList
	if err := shared.Client.List(ctx, &pods, client.InNamespace(h.namespace)); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil || !hasSidecar(&pod) {
			continue
		}
		now, before := time.Now(), h.used[pod.UID]
		if before.IsZero() || slices.ContainsFunc(pods.Items, func(proxy corev1.Pod) bool { return connects(&proxy, pod.Name) }) {
			before = now
		}
		h.used[pod.UID] = before
		why := ""
		switch {
		case now.Sub(before) >= holdQuiet:
			why = quietEnd
		case now.Add(holdStop).After(pod.DeletionTimestamp.Time):
			why = graceEnd
		default:
			continue
		}
		err := shared.Client.Delete(ctx, &pod, client.GracePeriodSeconds(0), client.Preconditions{UID: ptr.To(pod.UID)})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("end pod %s: %w", pod.Name, err)
		}
		if err == nil {
			h.mutex.Lock()
			h.ended = append(h.ended, pod.Name+" "+why)
			h.mutex.Unlock()
		}
	}
	return nil
}

// hasSidecar reports whether the sidecar hold of a pod runs.
func hasSidecar(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.InitContainerStatuses, func(status corev1.ContainerStatus) bool {
		return status.Name == "hold" && status.State.Running != nil
	})
}

// connects reports whether a pod is a proxy that runs and is connected to a server. Announcing proxies use the servers before the move alone.
func connects(pod *corev1.Pod, server string) bool {
	ordinal, err := strconv.ParseInt(server[strings.LastIndex(server, "-")+1:], 10, 32)
	routes := moves.ParseRoutes(pod.Labels[routesLabel])
	return err == nil && pod.Status.Phase == corev1.PodRunning &&
		(routes.From.Has(int32(ordinal)) || routes.Phase != moves.Announcing && routes.To.Has(int32(ordinal)))
}
