package memory

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

const (
	// flashPercent is the part of the volume that memcached uses. On a volume of 1 GiB, ext4 takes 5 percent, and often
	// reserves another 5 percent for root. memcached does not report that the file system is full: the items are lost.
	flashPercent = 90

	// flashKeyBytes is the memory of an item on flash: 48 bytes of header, 8 for CAS, 12 for its place on flash, and the key, all
	// rounded up to the next slab class. It is enough for keys of 80 bytes.
	flashKeyBytes = 160
	// flashBuffers is the number of buffers of the size of a write buffer: one for each of the six kinds of pages, and one from
	// which memcached rewrites fragmented pages.
	flashBuffers = 7
	// flashPageBytes is the memory of a page of flash.
	flashPageBytes = 256
)

// flashKeysMiB returns the memory for items that the keys of the items on a full flash need. The table of items, 16 bytes for each
// of them, is part of the overhead of the memory for items.
func flashKeysMiB(flash *v1alpha1.Flash) int64 {
	if flash == nil {
		return 0
	}
	return ceilDiv(FlashMiB(flash)*flashKeyBytes, AverageItemBytes(flash))
}

// AverageItemBytes returns the average size of the items on flash. All of them have at least the minimum size.
func AverageItemBytes(flash *v1alpha1.Flash) int64 {
	return max(flash.AverageItemSize.Value(), flash.MinItemSize.Value())
}

// flashBuffersMiB returns what the flash tier uses in addition to the items.
func flashBuffersMiB(flash *v1alpha1.Flash) int64 {
	if flash == nil {
		return 0
	}
	pages := FlashMiB(flash) / Mebibytes(*flash.PageSize)
	return flashBuffers*Mebibytes(*flash.WriteBuffer) + ceilDiv(pages*flashPageBytes, Mebibyte)
}

// FlashMiB returns the size of memcached's file on flash, in whole pages; 0 without flash.
func FlashMiB(flash *v1alpha1.Flash) int64 {
	if flash == nil {
		return 0
	}
	page := Mebibytes(*flash.PageSize)
	return Mebibytes(*flash.Size) * flashPercent / 100 / page * page
}
