//go:build !race

// Under the race detector, pools forget what they hold at random.

package memcached

import (
	"bytes"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
)

// allocationsOf100Pods is what a sync of 100 pods was measured to allocate. Lower it when a change lowers it; raise it
// when a change is worth more than its cost.
const allocationsOf100Pods = 2087

// TestAllocations guards what is cheap: for example a view that grows with each pod shows here.
func TestAllocations(t *testing.T) {
	controller := Controller(Config{})
	body := requests.Sync(100)
	allocations := testing.AllocsPerRun(20, func() {
		if _, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 1.1*allocationsOf100Pods {
		t.Errorf("a sync of 100 pods makes %.0f allocations, more than 10%% over the recorded %d", allocations, allocationsOf100Pods)
	}
	if allocations < 0.9*allocationsOf100Pods {
		t.Errorf("a sync of 100 pods makes only %.0f allocations: record that instead of %d, to keep it", allocations, allocationsOf100Pods)
	}
}
