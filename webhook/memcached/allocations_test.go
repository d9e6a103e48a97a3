//go:build !race

// The race detector makes pools drop their content at random.

package memcached

import (
	"bytes"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
)

// allocationsOf100Pods is the measured number of allocations in a sync of 100 pods. Decrease it after an improvement, and
// increase it if a change is worth its cost.
const allocationsOf100Pods = 3238

// TestAllocations detects new allocations for each pod, such as a slice in an observed object or a map of labels.
func TestAllocations(t *testing.T) {
	controller := Controller(Config{})
	body := requests.Sync(100)
	allocations := testing.AllocsPerRun(20, func() {
		if _, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 1.1*allocationsOf100Pods {
		t.Errorf("a sync of 100 pods makes %.0f allocations, over 10%% more than the recorded %d", allocations, allocationsOf100Pods)
	}
}
