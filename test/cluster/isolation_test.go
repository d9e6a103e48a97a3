package cluster

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestParentsNeverSeeEachOthersPods(t *testing.T) {
	because(t, "a client that connects to a pod of another cache reads another application's data")
	t.Parallel()
	first, second := newNamespace(t), newNamespace(t)
	parents := []*unstructured.Unstructured{
		newMemcached(t, first, "cache", 1),
		newMemcached(t, first, "cache-two", 2), // the same namespace, and a name with the other name as its prefix
		newMemcached(t, second, "cache", 3),    // the same name in another namespace
	}
	check := func() {
		t.Helper()
		for _, m := range parents {
			eventually(t, waitTimeout, m.GetNamespace()+"/"+m.GetName()+" names its own pods", func(context.Context) error {
				return sameNodes(t, m)
			})
		}
	}
	check()

	setSize(t, parents[2], 4)
	waitReady(t, parents[2], 4, waitTimeout)
	waitReady(t, parents[0], 1, waitTimeout)
	waitReady(t, parents[1], 2, waitTimeout)
	check()
}
