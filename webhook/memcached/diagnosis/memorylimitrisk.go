package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
The memory limit is too low for the items.

This check looks at spec only: at the memory limit, and at what items, connections and arguments need. A cache runs until it is full.
*/

// ReasonMemoryLimitTooLow is for a cache that may need more memory than its limit.
var ReasonMemoryLimitTooLow = conditions.Declare(conditions.Documentation{ID: "MemoryLimitTooLow", Parent: "Memcached", Uses: conditions.UsesOfRisk,
	Meaning: "The cache runs, and may be killed when it is full.",
	Remedy:  "Increase the limit or decrease the memory for items: [Memory](configure.md#memory)."})

// MemoryLimitTooLow returns a finding if the items may need more memory than the limit.
func MemoryLimitTooLow(spec *v1alpha1.MemcachedSpec, size memory.Size) conditions.Finding {
	if !size.LimitTooLow() {
		return conditions.Finding{}
	}
	return conditions.Finding{Risk: ReasonMemoryLimitTooLow.Risk(
		"The memory limit is %s, but %d MiB of items (spec.cache.memory) need up to %dMi. Increase spec.resources.limits.memory, or decrease spec.cache.memory.",
		spec.Resources.Limits.Memory(), size.ItemMiB, size.NeededMiB)}
}
