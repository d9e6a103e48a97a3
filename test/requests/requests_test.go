package requests

import "testing"

// TestSize checks that a pod has a realistic size of 7.6 kB with managedFields, because benchmarks report figures per pod.
func TestSize(t *testing.T) {
	perPod := (len(Sync(1000)) - len(Sync(0))) / 1000
	if perPod < 7500 || perPod > 7700 {
		t.Errorf("a pod has %d bytes, want 7500 to 7700", perPod)
	}
}
