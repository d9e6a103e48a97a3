package memcached

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestMemoryLimitTooLow checks that a cache that serves well is Ready, although it is at risk.
func TestMemoryLimitTooLow(t *testing.T) {
	memcached := sample.New(2)
	memcached.Spec = v1alpha1.MemcachedSpec{Size: new(int32(2)), Resources: sample.Limits("100Mi"), Cache: v1alpha1.Cache{Memory: sample.Quantity("64Mi")}}
	found := conditionsOf(t, Config{}, settled(memcached))
	const message = "The memory limit is 100Mi, but 64 MiB of items (spec.cache.memory) need up to 123Mi. Increase spec.resources.limits.memory, or decrease spec.cache.memory."
	if got := found[api.AtRisk]; got.Status != "True" || got.Reason != "MemoryLimitTooLow" || got.Message != message {
		t.Errorf("AtRisk is %+v, want %q", got, message)
	}
	if _, stalled := found[api.Stalled]; stalled || found[api.Ready].Status != "True" || found[api.Degraded].Status != "False" {
		t.Errorf("a risk changes other conditions: %+v", found)
	}
}
