package cluster

import (
	"context"
	"testing"
)

// These tests are not parallel: what they kill is everybody's.

func TestHookKilledDuringAScale(t *testing.T) {
	because(t, "a node that runs the hook dies at some time; no cache may notice, and the scale must go on")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	unharmed := remember(t, m)
	must(t, shared.Hook.Kill())
	restarted := false
	defer func() {
		if !restarted {
			must(t, shared.Hook.Start())
		}
	}()
	setSize(t, m, 4)
	waitForEvent(t, m, "EOF")
	unharmed(t)
	restarted = true
	must(t, shared.Hook.Start())
	waitReady(t, m, 4, recovery)
	unharmed(t)
}

func TestMetacontrollerKilled(t *testing.T) {
	because(t, "what changed while nobody watched must be seen afterwards, the drift of children too")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	gone := newMemcached(t, m.GetNamespace(), "gone", 1)
	unharmed := remember(t, m)
	must(t, shared.Metacontroller.Kill())
	setSize(t, m, 3)
	kubectl(t, "delete", "--namespace", m.GetNamespace(), "deployment/gone")
	must(t, shared.Metacontroller.Start())
	waitReady(t, m, 3, recovery)
	waitReady(t, gone, 1, recovery)
	eventually(t, recovery, "status.nodes names the new pod", func(context.Context) error { return sameNodes(t, gone) })
	unharmed(t)
}

func TestAPIServerRestarted(t *testing.T) {
	because(t, "every upgrade of a control plane does it: all watches end, and the state of all caches is read anew")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	unharmed := remember(t, m)
	setSize(t, m, 3)
	must(t, shared.RestartAPIServer(t.Context()))
	waitReady(t, m, 3, recovery)
	setSize(t, m, 4)
	waitReady(t, m, 4, recovery)
	unharmed(t)
}
