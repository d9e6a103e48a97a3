package requests

import "testing"

// TestSize: figures for each pod are about pods of the size that clusters have, 7.6 kB each with managedFields.
func TestSize(t *testing.T) {
	perPod := (len(Sync(1000)) - len(Sync(0))) / 1000
	if perPod < 7500 || perPod > 7700 {
		t.Errorf("a pod takes %d bytes, want 7600 and a hundred more or less", perPod)
	}
}
