package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/internal/process"
)

// worstSpecs are specs that the API server stores, and with which the hook has taken most memory: an error has four bytes for each DEL, and is
// copied.
func worstSpecs() (specs []map[string]any) {
	large, half := strings.Repeat("\x7f", 1_400_000), strings.Repeat("\x7f", 700_000)
	for _, selector := range []map[string]any{
		{"matchExpressions": []any{map[string]any{"key": large, "operator": "In", "values": []any{"a"}}}},
		{"matchExpressions": []any{map[string]any{"key": "a", "operator": "In", "values": []any{large}}}},
		{"matchExpressions": []any{map[string]any{"key": half, "operator": half, "values": []any{"a"}}}},
		{"matchExpressions": []any{map[string]any{"key": "a", "operator": "In", "values": []any{half, half}}}},
		{"matchLabels": map[string]any{half: half}},
		{"matchLabels": map[string]any{"a": large}},
	} {
		specs = append(specs, map[string]any{"networkPolicy": map[string]any{"from": []any{map[string]any{"podSelector": selector}}}})
	}
	return specs
}

func TestLargeObjectsOfAnotherTenant(t *testing.T) {
	because(t, "a user of one namespace must not take the hook away from all others")
	program, isLocal := shared.Hook.(*process.Process)
	if !isLocal {
		t.Skip("NOT TESTED: large objects of another tenant, because the hook of an existing cluster runs in a pod, and its memory is unknown")
	}
	theirs, ours := newNamespace(t), newNamespace(t)
	small := newMemcached(t, ours, "cache", 1)
	var large []*unstructured.Unstructured
	for i, spec := range append(worstSpecs(), worstSpecs()...) {
		spec["size"] = int64(1)
		m := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		m.SetGroupVersionKind(memcachedKind)
		m.SetNamespace(theirs)
		m.SetName(fmt.Sprintf("large-%d", i))
		must(t, shared.Client.Create(t.Context(), m))
		large = append(large, m)
	}
	var slowest time.Duration
	for round := range 6 {
		began := time.Now()
		var patches errgroup.Group
		for _, m := range large {
			patch := fmt.Sprintf(`{"spec":{"podAnnotations":{"round":"%d"}}}`, round)
			patches.Go(func() error {
				return shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", []byte(patch)))
			})
		}
		must(t, patches.Wait())
		size := int32(1 + (round+1)%2)
		setSize(t, small, int(size))
		changed := time.Now()
		eventually(t, 20*time.Second, "the other cache has its size", func(context.Context) error {
			if got := *deploymentOf(t, small).Spec.Replicas; got != size {
				return fmt.Errorf("it has %d replicas, want %d", got, size)
			}
			return nil
		})
		slowest = max(slowest, time.Since(changed))
		select {
		case <-t.Context().Done():
		case <-time.After(3*time.Second - time.Since(began)):
		}
	}
	must(t, shared.Check())
	_, peak, err := program.MiB()
	must(t, err)
	t.Logf("the slowest change of the other cache took %s; the hook's memory has peaked at %.0f MiB", slowest.Round(time.Millisecond), peak)
	if slowest > 3*time.Second || peak > 200 {
		t.Error("the limits are 3 s and 200 MiB")
	}
}
