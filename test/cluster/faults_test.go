package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recoveryTimeout limits the recovery after the end of a fault.
const recoveryTimeout = 30 * time.Second

func TestFaultyResponses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		fault        fault
		event        string // text of an Event on the parent; empty for 429, because Metacontroller then creates none
	}{
		{"500", "a failing hook must not delete a cache", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "the disk of the hook is full", http.StatusInternalServerError)
		}, "the disk of the hook is full"},
		{"429", "a busy hook sets the time of the next request", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "busy", http.StatusTooManyRequests)
		}, ""},
		{"garbage", "a proxy between them may respond with 200 and its own page", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			fmt.Fprint(w, "<html>Welcome</html>")
		}, "invalid character '<'"},
		{"truncated response", "half of a response names half of the children", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			fmt.Fprint(w, `{"children":[`)
		}, "unexpected end of JSON input"},
		{"empty request", "a request without parent and children is invalid, not an empty observed state",
			func(w http.ResponseWriter, r *http.Request, hook http.Handler) {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
				hook.ServeHTTP(w, r)
			}, "parent"},
		{"hang", "a hook that hangs is a hook that fails", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
			<-r.Context().Done()
		}, "exceeded"}, // net/http has several messages for a timeout
	} {
		for _, name := range []string{"sync", "customize"} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				because(t, c.reason)
				t.Parallel()
				m := newMemcached(t, newNamespace(t), "cache", 2)
				childrenExist := recordChildren(t, m)
				calls := make(chan time.Time, 10_000)
				stopFault := hook.fail(t, m.GetNamespace(), name, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					calls <- time.Now()
					c.fault(w, r, next)
				})

				setSize(t, m, 3) // a new generation: Metacontroller calls customize, then sync
				if c.event != "" {
					waitForEvent(t, m, c.event)
				} else {
					waitForRetries(t, name, calls)
				}
				childrenExist(t)

				stopFault()
				waitReady(t, m, 3, recoveryTimeout)
				childrenExist(t)
			})
		}
	}
}

// waitForRetries waits for four calls of the hook and checks that Metacontroller respects Retry-After: 1. It checks this
// only for sync, because an event of a pod triggers customize immediately.
func waitForRetries(t *testing.T, name string, calls <-chan time.Time) {
	t.Helper()
	var first, last time.Time
	for i := range 4 {
		select {
		case last = <-calls:
		case <-time.After(waitTimeout):
			t.Fatalf("%d calls, want 4", i)
		}
		if i == 0 {
			first = last
		}
	}
	if name == "sync" && last.Sub(first) < time.Second {
		t.Errorf("four calls within %s", last.Sub(first))
	}
}

func TestEmptyCustomizeResponseDeletesNothing(t *testing.T) {
	because(t, "{} from customize means no related objects, and Metacontroller caches it for this generation of the parent: sync "+
		"must reject a request without pods, or status.nodes would be empty, and the next edit must fix it")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	childrenExist := recordChildren(t, m)
	stopFault := hook.fail(t, m.GetNamespace(), "customize", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, "{}") })
	setSize(t, m, 3)
	waitForEvent(t, m, "Pod.v1")
	childrenExist(t)
	if before, now := 2, len(nodes(get(t, memcachedKind, m.GetNamespace(), m.GetName()))); now != before {
		t.Errorf("status.nodes names %d pods, want %d", now, before)
	}
	stopFault()
	setSize(t, m, 4)
	waitReady(t, m, 4, recoveryTimeout)
	childrenExist(t)
}

// recordChildren returns a check that the current Deployment and its current pods still exist.
func recordChildren(t *testing.T, m *unstructured.Unstructured) func(*testing.T) {
	t.Helper()
	deployment, pods := deploymentOf(t, m), podsOf(t, m)
	return func(t *testing.T) {
		t.Helper()
		now := deploymentOf(t, m)
		if now.UID != deployment.UID || now.DeletionTimestamp != nil {
			t.Errorf("the Deployment was deleted: UID was %s and is %s, deletionTimestamp %v", deployment.UID, now.UID, now.DeletionTimestamp)
		}
		exists := map[string]bool{}
		for _, name := range podsOf(t, m) {
			exists[name] = true
		}
		for _, name := range pods {
			if !exists[name] {
				t.Errorf("pod %s was deleted", name)
			}
		}
	}
}

// waitForEvent waits for a warning Event on the Memcached that contains the text.
func waitForEvent(t *testing.T, m *unstructured.Unstructured, text string) {
	t.Helper()
	eventually(t, waitTimeout, fmt.Sprintf("an Event contains %q", text), func(ctx context.Context) error {
		var events corev1.EventList
		if err := shared.Client.List(ctx, &events, client.InNamespace(m.GetNamespace())); err != nil {
			return err
		}
		var messages []string
		for _, e := range events.Items {
			if e.InvolvedObject.UID != m.GetUID() || e.Type != corev1.EventTypeWarning {
				continue
			}
			if strings.Contains(e.Message, text) {
				return nil
			}
			messages = append(messages, e.Message)
		}
		return fmt.Errorf("warnings: %q", messages)
	})
}
