package memcached

import (
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProxyProgressIsPaced checks that the number of ready proxies alone causes no write of the status, and a phase does.
func TestProxyProgressIsPaced(t *testing.T) {
	before := v1alpha1.ProxyStatus{ReadyReplicas: 1, ServingServers: 3, LastChangeTime: &noon}
	after := before
	after.ReadyReplicas = 2
	if !sameProxies(&before, &after) || !sameProxies(nil, nil) {
		t.Error("a ready proxy is not progress")
	}
	after.Resize = &v1alpha1.ResizeStatus{Phase: v1alpha1.ResizePreparing}
	if sameProxies(&before, &after) || sameProxies(nil, &after) || sameProxies(&before, nil) {
		t.Error("a phase is only progress")
	}
}
