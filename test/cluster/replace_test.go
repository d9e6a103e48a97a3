package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestReplaceServers changes the pod template and the size at once, and then the template again.
func TestReplaceServers(t *testing.T) {
	because(t, "a change of the pods moves the items to new servers, and the servers in use keep their pods until no proxy uses them")
	t.Parallel()
	m := newProxied(t, 3, 3)
	history := watchRoutes(t, m)
	for _, step := range []struct {
		patch string
		size  int
		want  []string
	}{
		{`{"spec":{"size":4,"cache":{"memory":"100Mi"}}}`, 4, []string{
			"servers 0-2, routes 0-2", "servers 0-6, routes 0-2_3-6_announcing", "servers 0-6, routes 0-2_3-6_preparing",
			"servers 0-6, routes 0-2_3-6_warming", "servers 0-6, routes 0-2_3-6_closing", "servers 0-6, routes 3-6", "servers 3-6, routes 3-6",
		}},
		{`{"spec":{"cache":{"memory":"50Mi"}}}`, 4, []string{
			"servers 3-6, routes 3-6", "servers 3-10, routes 3-6_7-10_announcing", "servers 3-10, routes 3-6_7-10_preparing",
			"servers 3-10, routes 3-6_7-10_warming", "servers 3-10, routes 3-6_7-10_closing", "servers 3-10, routes 7-10", "servers 7-10, routes 7-10",
		}},
	} {
		kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", step.patch)
		waitReady(t, m, step.size, 2*waitTimeout)
		if got := history(); !slices.Equal(got, step.want) {
			t.Errorf("after the change %s, the cluster had\n%q, want\n%q", step.patch, got, step.want)
		}
	}
}

// TestReplaceServersWithoutRoom checks that a cache serves while a quota holds up a change of its pods, and that it can be told to
// replace them in place.
func TestReplaceServersWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, why string
		// Requests of memory, and those of all pods before the change. The sidecar of a server requests 32Mi, and so does the init container of
		// a proxy, so a smaller request of a proxy has no effect.
		server, proxy, used, hard string
		message, routes           []string
	}{
		{"servers", "if the cluster has no room for the new servers, the ones in use must stay, and the condition must say why, and what to do",
			"100Mi", "40Mi", "344Mi", "424Mi", // the proxies of a rollout have room at any time, and a new server never
			[]string{"StatefulSet cache has 2 of 4 pods", "ResourceQuota", "restore the previous spec"}, []string{"0-1_2-3_announcing"}},
		{"proxies", "if the cluster has no room for one more proxy, those in use must stay, and the condition must say why, and what to do",
			"20Mi", "100Mi", "304Mi", "434Mi", // the new servers have room, or one proxy. If the servers start first, the first rollout waits, otherwise the second one
			[]string{"Pods cannot be created", "exceeded quota: memory", "restore the previous spec"}, []string{"0-1_2-3_announcing", "0-1_2-3_preparing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			because(t, test.why)
			t.Parallel()
			requests := func(memory string) map[string]any {
				return map[string]any{"requests": map[string]any{"memory": memory}}
			}
			m := newMemcachedOf(t, newNamespace(t), "cache", 2, map[string]any{
				"resources": requests(test.server), "proxy": map[string]any{"resources": requests(test.proxy)},
			})
			history := watchRoutes(t, m)
			createQuota(t, m.GetNamespace(), test.used, test.hard)
			kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", `{"spec":{"cache":{"memory":"100Mi"}}}`)
			waitDegraded(t, m, test.message)
			// The condition may come before the routes are seen, and for a moment in which a replaced proxy still counts.
			eventually(t, waitTimeout, fmt.Sprintf("routes are one of %q", test.routes), func(context.Context) error {
				got := history()
				if _, routes, _ := strings.Cut(got[len(got)-1], "routes "); !slices.Contains(test.routes, routes) {
					return fmt.Errorf("the cluster had %q", got)
				}
				return nil
			})
			waitDegraded(t, m, test.message)
			kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/cache", "--type=merge", "--patch", `{"spec":{"proxy":{"warmup":{"enabled":false}}}}`)
			waitReady(t, m, 2, 2*waitTimeout)
			if got := history(); len(got) == 0 || got[len(got)-1] != "servers 0-1, routes 0-1" {
				t.Errorf("after the warm-up was disabled, the cluster had\n%q, want the first servers alone", got)
			}
		})
	}
}

// createQuota creates a ResourceQuota of requested memory, and waits until it has counted the pods that run: it counts after its creation,
// and admits too many pods until then.
func createQuota(t *testing.T, namespace, used, hard string) {
	t.Helper()
	kubectl(t, "create", "quota", "memory", "--namespace", namespace, "--hard=requests.memory="+hard)
	kubectl(t, "wait", "--namespace", namespace, `--for=jsonpath={.status.used.requests\.memory}=`+used, "quota/memory", "--timeout=60s")
}

// waitDegraded waits until the Memcached is degraded, and the message contains all texts.
func waitDegraded(t *testing.T, m *unstructured.Unstructured, texts []string) {
	t.Helper()
	eventually(t, 3*waitTimeout, fmt.Sprintf("condition Degraded contains %q", texts), func(ctx context.Context) error {
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		message := fmt.Sprint(Condition(m, "Degraded")["message"])
		for _, text := range texts {
			if !strings.Contains(message, text) {
				return fmt.Errorf("message %q does not contain %q", message, text)
			}
		}
		return nil
	})
}
