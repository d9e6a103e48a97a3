package diagnosis

import "github.com/example/memcached-operator/webhook/conditions"

/*
The memory limit is too low for the items.

This check looks at spec only: at the memory limit, and at what items, connections and arguments need. A cache runs until it is full.
*/

// ReasonMemoryLimitTooLow is for a cache that may need more memory than its limit.
var ReasonMemoryLimitTooLow = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "MemoryLimitTooLow", Parent: "Memcached",
	Meaning: "The cache runs, but may be killed when it is full.",
	Remedy:  "Increase the limit or decrease the memory for items: [Memory](configure.md#memory)."})

func memoryLimitTooLow(in *Input) conditions.Finding {
	size := in.Memory
	if !size.LimitTooLow() {
		return conditions.Finding{}
	}
	return conditions.Finding{Risk: ReasonMemoryLimitTooLow.Risk(
		"The memory limit is %s, but %d MiB of items (spec.cache.memory) need up to %dMi. Increase spec.resources.limits.memory, or decrease spec.cache.memory.",
		in.Memcached.Spec.Resources.Limits.Memory(), size.ItemMiB, size.NeededMiB)}
}
