package cluster

import (
	"context"
	"testing"
)

// These tests are not parallel, because all tests share the programs that they kill.

func TestHookKilledDuringAScale(t *testing.T) {
	because(t, "when the node of the hook fails, no cache may change, and scaling must continue")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	childrenExist := recordChildren(t, m)
	must(t, shared.Hook.Kill())
	restarted := false
	defer func() {
		if !restarted {
			must(t, shared.Hook.Start())
		}
	}()
	setSize(t, m, 4)
	waitForEvent(t, m, "EOF")
	childrenExist(t)
	restarted = true
	must(t, shared.Hook.Start())
	waitReady(t, m, 4, recoveryTimeout)
	childrenExist(t)
}

func TestMetacontrollerKilled(t *testing.T) {
	because(t, "Metacontroller must find changes during its downtime after a restart, including drift of children")
	m := newMemcached(t, newNamespace(t), "cache", 2)
	deleted := newMemcached(t, m.GetNamespace(), "deleted", 1)
	childrenExist := recordChildren(t, m)
	must(t, shared.Metacontroller.Kill())
	setSize(t, m, 3)
	kubectl(t, "delete", "--namespace", m.GetNamespace(), "deployment/deleted")
	must(t, shared.Metacontroller.Start())
	waitReady(t, m, 3, recoveryTimeout)
	waitReady(t, deleted, 1, recoveryTimeout)
	eventually(t, recoveryTimeout, "status.nodes names the new pod", func(context.Context) error { return sameNodes(t, deleted) })
	childrenExist(t)
}

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
