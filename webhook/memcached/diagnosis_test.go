package memcached

import (
	"testing"

	"github.com/example/memcached-operator/webhook/object"
)

// TestRemedies: what to do about a memcached that was killed for its memory depends on which of limit and items is given.
func TestRemedies(t *testing.T) {
	limited := func(limit string) Spec {
		return Spec{Resources: limitedTo(limit), Cache: Cache{MemoryMB: new(int64(64))}}
	}
	cases := []struct {
		reason string
		spec   Spec
		want   string
	}{
		{"the limit is below what the items need", limited("100Mi"), "the limit is 100Mi for 64 MiB of items, which need up to 123Mi: increase spec.resources.limits.memory"},
		{"both are given, and more is needed", limited("200Mi"), "the limit is 200Mi for 64 MiB of items: increase spec.resources.limits.memory"},
		{"the limit follows from the items", Spec{}, "the limit is 123Mi for 64 MiB of items: increase spec.cache.overheadPercent, because small items need more memory besides their own size"},
	}
	for _, test := range cases {
		if got := remedies(&test.spec, sizingOf(&test.spec))[containerName].OOMKilled; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestTightMemory(t *testing.T) {
	observed := settled(sample(2))
	observed.Parent.Spec = Spec{Size: new(int32(2)), Resources: limitedTo("100Mi"), Cache: Cache{MemoryMB: new(int64(64))}}
	observed = settled(observed.Parent)
	const want = "The memory limit is 100Mi, but 64 MiB of items (spec.cache.memoryMB) need up to 123Mi. Increase spec.resources.limits.memory, or decrease spec.cache.memoryMB."
	found := conditionsOf(t, Config{}, observed)
	for _, kind := range []string{object.Degraded, object.Ready} {
		if got := found[kind]; got.Reason != ReasonMemoryLimitTooLow || got.Message != want {
			t.Errorf("%s is %s: %s", kind, got.Reason, got.Message)
		}
	}
}
