package memcached

import (
	"testing"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestRemedies: what to do about a memcached that was killed for its memory depends on which of limit and items is given.
func TestRemedies(t *testing.T) {
	limited := func(limit string) v1alpha1.MemcachedSpec {
		return v1alpha1.MemcachedSpec{Resources: limitedTo(limit), Cache: v1alpha1.Cache{MemoryMB: new(int64(64))}}
	}
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"the limit is below what the items need", limited("100Mi"), "the limit is 100Mi for 64 MiB of items, which need up to 123Mi: increase spec.resources.limits.memory"},
		{"both are given, and more is needed", limited("200Mi"), "the limit is 200Mi for 64 MiB of items: increase spec.resources.limits.memory"},
		{"the limit follows from the items", v1alpha1.MemcachedSpec{}, "the limit is 123Mi for 64 MiB of items: increase spec.cache.overheadPercent, because small items need more memory besides their own size"},
	}
	for _, test := range cases {
		if got := remedies(&test.spec, memorySizeOf(&test.spec))[containerName].OOMKilled; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestTightMemory(t *testing.T) {
	request := settled(sample(2))
	request.Parent.Spec = v1alpha1.MemcachedSpec{Size: new(int32(2)), Resources: limitedTo("100Mi"), Cache: v1alpha1.Cache{MemoryMB: new(int64(64))}}
	request = settled(request.Parent)
	const want = "The memory limit is 100Mi, but 64 MiB of items (spec.cache.memoryMB) need up to 123Mi. Increase spec.resources.limits.memory, or decrease spec.cache.memoryMB."
	found := conditionsOf(t, Config{}, request)
	for _, kind := range []string{api.Degraded, api.Ready} {
		if got := found[kind]; got.Reason != ReasonMemoryLimitTooLow || got.Message != want {
			t.Errorf("%s is %s: %s", kind, got.Reason, got.Message)
		}
	}
}
