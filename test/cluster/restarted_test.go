package cluster

import (
	"testing"
)

// TestAPIServerRestarted is not parallel, because all tests share the API server.
func TestAPIServerRestarted(t *testing.T) {
	because(t, "every upgrade of a control plane ends all watches, and Metacontroller lists all objects again")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	childrenExist := recordChildren(t, m)
	setSize(t, m, 3)
	must(t, shared.RestartAPIServer(t.Context()))
	waitReady(t, m, 3, recoveryTimeout)
	setSize(t, m, 4)
	waitReady(t, m, 4, recoveryTimeout)
	childrenExist(t)
}
