package cluster

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestParentsNeverSeeEachOthersPods(t *testing.T) {
	because(t, "a client that is sent to another cache's pod reads another application's data")
	t.Parallel()
	first, second := newNamespace(t), newNamespace(t)
	parents := []*unstructured.Unstructured{
		newMemcached(t, first, "cache", 1),
		newMemcached(t, first, "cache-two", 2), // the same namespace, and a name that begins like the other
		newMemcached(t, second, "cache", 3),    // the same name in another namespace
	}
	check := func() {
		t.Helper()
		for _, m := range parents {
			eventually(t, patience, m.GetNamespace()+"/"+m.GetName()+" names its own pods", func(context.Context) error {
				return sameNodes(t, m)
			})
		}
	}
	check()

	setSize(t, parents[2], 4)
	waitReady(t, parents[2], 4, patience)
	waitReady(t, parents[0], 1, patience)
	waitReady(t, parents[1], 2, patience)
	check()
}
