package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recovery is how long all may take to be well after a fault is over.
const recovery = 30 * time.Second

func TestHookAnswersBadly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		fault        fault
		event        string // what an Event on the parent must tell; nothing for 429, of which Metacontroller makes none
	}{
		{"500", "a hook that fails must not cost a cache", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "the disk of the hook is full", http.StatusInternalServerError)
		}, "the disk of the hook is full"},
		{"429", "a hook that is busy says when to come again", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "busy", http.StatusTooManyRequests)
		}, ""},
		{"garbage", "a proxy in the way answers 200 with a page of its own", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			fmt.Fprint(w, "<html>Welcome</html>")
		}, "invalid character '<'"},
		{"an answer cut off", "half of an answer names half of the children", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			fmt.Fprint(w, `{"children":[`)
		}, "unexpected end of JSON input"},
		{"a request cut to {}", "a request without parent and children must not be answered as if there were none",
			func(w http.ResponseWriter, r *http.Request, hook http.Handler) {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
				hook.ServeHTTP(w, r)
			}, "request has no"},
		{"slowly", "a hook that hangs is a hook that fails", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
			<-r.Context().Done()
		}, "exceeded"}, // net/http calls it by more than one name
	} {
		for _, name := range []string{"sync", "customize"} {
			t.Run(name+" answers "+c.name, func(t *testing.T) {
				because(t, c.reason)
				t.Parallel()
				m := newMemcached(t, newNamespace(t), "cache", 2)
				unharmed := remember(t, m)
				asked := make(chan time.Time, 10_000)
				recoverNow := hook.fail(t, m.GetNamespace(), name, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					asked <- time.Now()
					c.fault(w, r, next)
				})

				setSize(t, m, 3) // a new generation: customize is asked, then sync
				if c.event != "" {
					waitForEvent(t, m, c.event)
				} else {
					slowDown(t, name, asked)
				}
				unharmed(t)

				recoverNow()
				waitReady(t, m, 3, recovery)
				unharmed(t)
			})
		}
	}
}

// slowDown waits until the hook was asked four times, and checks that Retry-After: 1 was obeyed. A pod's event asks
// customize at once, whatever it answered before, so only sync can be held to the time.
func slowDown(t *testing.T, name string, asked <-chan time.Time) {
	t.Helper()
	var first, last time.Time
	for i := range 4 {
		select {
		case last = <-asked:
		case <-time.After(patience):
			t.Fatalf("asked %d times", i)
		}
		if i == 0 {
			first = last
		}
	}
	if name == "sync" && last.Sub(first) < time.Second {
		t.Errorf("asked four times within %s", last.Sub(first))
	}
}

func TestAnEmptyAnswerDeletes(t *testing.T) {
	because(t, "to Metacontroller {} with status 200 is an order to delete all children, and no setting of its own changes "+
		"that: it is why the hook checks each answer before it sends one. The cache must at least come back")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	before := deploymentOf(t, m).UID
	recoverNow := hook.fail(t, m.GetNamespace(), "sync", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, "{}") })
	setSize(t, m, 3)
	eventually(t, patience, "the Deployment is deleted", func(ctx context.Context) error {
		err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), &appsv1.Deployment{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there: %w", err)
		}
		return nil
	})
	recoverNow()
	touch(t, m)
	waitReady(t, m, 3, recovery)
	if after := deploymentOf(t, m).UID; after == before {
		t.Error("it should be a new Deployment")
	}
}

func TestAnEmptyCustomizeAnswerDeletesNothing(t *testing.T) {
	because(t, "customize's {} means no related objects, and Metacontroller keeps it for this generation of the parent: the sync "+
		"hook must refuse to go on without its pods, or status.nodes would be empty, and the next edit must mend it")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	unharmed := remember(t, m)
	recoverNow := hook.fail(t, m.GetNamespace(), "customize", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, "{}") })
	setSize(t, m, 3)
	waitForEvent(t, m, "related has no Pod.v1")
	unharmed(t)
	if before, now := 2, len(nodes(get(t, memcachedKind, m.GetNamespace(), m.GetName()))); now != before {
		t.Errorf("status.nodes names %d pods, and should still name %d", now, before)
	}
	recoverNow()
	setSize(t, m, 4)
	waitReady(t, m, 4, recovery)
	unharmed(t)
}

// touch makes Metacontroller sync the Memcached: without an error it has no reason to before the next resync.
func touch(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	kubectl(t, "annotate", "--overwrite", "--namespace", m.GetNamespace(), "memcached/"+m.GetName(), "test/touched=true")
}

// remember returns a check that the Deployment is still the same one, and that every pod of now is still there.
func remember(t *testing.T, m *unstructured.Unstructured) func(*testing.T) {
	t.Helper()
	deployment, pods := deploymentOf(t, m), podsOf(t, m)
	return func(t *testing.T) {
		t.Helper()
		now := deploymentOf(t, m)
		if now.UID != deployment.UID || now.DeletionTimestamp != nil {
			t.Errorf("the Deployment has been deleted: it was %s and is %s, deleted at %v", deployment.UID, now.UID, now.DeletionTimestamp)
		}
		there := map[string]bool{}
		for _, name := range podsOf(t, m) {
			there[name] = true
		}
		for _, name := range pods {
			if !there[name] {
				t.Errorf("pod %s has been deleted", name)
			}
		}
	}
}

// waitForEvent waits for a warning on the Memcached that tells something.
func waitForEvent(t *testing.T, m *unstructured.Unstructured, tells string) {
	t.Helper()
	eventually(t, patience, fmt.Sprintf("an Event tells %q", tells), func(ctx context.Context) error {
		var events corev1.EventList
		if err := shared.Client.List(ctx, &events, client.InNamespace(m.GetNamespace())); err != nil {
			return err
		}
		var messages []string
		for _, e := range events.Items {
			if e.InvolvedObject.UID != m.GetUID() || e.Type != corev1.EventTypeWarning {
				continue
			}
			if strings.Contains(e.Message, tells) {
				return nil
			}
			messages = append(messages, e.Message)
		}
		return fmt.Errorf("the warnings are %q", messages)
	})
}
