package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/memory"
)

/*
The keys of the items that fit on flash do not fit into memory.

This check looks at spec only: at the memory for items, and at the size of the flash and of its items. memcached would evict keys of items
on flash. The minimum of memory for items is for the items that are not on flash yet.
*/

// ReasonFlashMemoryTooLow is for a cache whose flash cannot fill.
var ReasonFlashMemoryTooLow = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "FlashMemoryTooLow", Parent: "Memcached",
	Meaning: "The cache runs, but its flash never fills, because the keys of the items do not fit into memory.",
	Remedy:  "Increase the memory, or correct the size of the items or the flash: [Flash](flash.md#memory)."})

func flashMemoryTooLow(in *Input) conditions.Finding {
	size := in.Memory
	needed := size.KeysMiB + memory.MinItemMiB
	if size.ItemMiB >= needed { // always without flash: validation refuses less memory
		return conditions.Finding{}
	}
	return conditions.Finding{Risk: ReasonFlashMemoryTooLow.Risk(
		"%d MiB of flash with items of %d bytes on average (spec.flash.averageItemSize) need %d MiB of memory for their keys, but the memory for items is only %d MiB. Increase the memory, correct spec.flash.averageItemSize, or decrease spec.flash.size.",
		size.FlashMiB, memory.AverageItemBytes(in.Memcached.Spec.Flash), needed, size.ItemMiB)}
}
