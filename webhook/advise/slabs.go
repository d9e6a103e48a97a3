package advise

import (
	"fmt"

	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// waste reports slab classes whose chunks are much larger than their items.
func waste(s situation) *Advice {
	wasted, used, most, worst := 0.0, 0.0, 0.0, ""
	for _, sample := range s.samples {
		for _, c := range sample.slabClasses() {
			wasted, used = wasted+c.wasted, used+c.used
			if c.wasted > most {
				most = c.wasted
				worst = fmt.Sprintf("class %d of %s loses %s of chunks of %.0f bytes", c.id, sample.Address, bytes(most), c.chunk)
			}
		}
	}
	if wasted < largePart/2*max(used, 1) || !s.full() {
		return nil
	}
	return &Advice{Name: "Chunks", Text: "Use more slab classes, so that chunks fit the items: start memcached with -f 1.08 (spec.cache.extraArgs).",
		Evidence: fmt.Sprintf("%s of the memory in use is lost in chunks that are larger than their items; %s", percent(wasted/used), worst)}
}

// class is a slab class of a server.
type class struct {
	id                         int
	evicted, age, chunk, pages float64
	wasted, used               float64
}

// slabClasses returns the slab classes with items.
func (s *Sample) slabClasses() (all []class) {
	for id := 1; id < 64; id++ {
		item := func(name string) float64 { return s.After.Items.number(fmt.Sprintf("items:%d:%s", id, name)) }
		slab := func(name string) float64 { return s.After.Slabs.number(fmt.Sprintf("%d:%s", id, name)) }
		if item("number") == 0 {
			continue
		}
		c := class{id: id, age: item("age"), chunk: slab("chunk_size"), pages: slab("total_pages"), used: slab("used_chunks") * slab("chunk_size")}
		c.evicted = item("evicted") - s.Before.Items.number(fmt.Sprintf("items:%d:evicted", id))
		c.wasted = max(0, c.used-item("mem_requested"))
		all = append(all, c)
	}
	return all
}

// classes reports slab classes that evict while other classes of the same server keep old items.
func classes(s situation) *Advice {
	const older = 5 // times
	for _, sample := range s.samples {
		var young, old class
		for _, c := range sample.slabClasses() {
			if c.evicted > 0 && (young.id == 0 || c.age < young.age) {
				young = c
			}
			if c.pages*memory.Mebibyte > largePart/2*s.whole.MemoryBytes/float64(len(s.samples)) && (old.id == 0 || c.age > old.age) {
				old = c
			}
		}
		if young.id == 0 || old.id == 0 || old.age < older*max(1, young.age) {
			continue
		}
		a := &Advice{Name: "Classes", Text: "Some slab classes evict while others keep old items. memcached moves pages between them only slowly; caches of their own for small and large items share the memory better.",
			Evidence: fmt.Sprintf("%s: class %d (%.0f bytes) evicts items after %s, class %d (%.0f bytes) keeps them for %s in %.0f pages", sample.Address,
				young.id, young.chunk, duration(young.age), old.id, old.chunk, duration(old.age), old.pages)}
		if sample.Settings["slab_automove"] == "0" {
			a.Text = "Let memcached move pages to the slab classes that evict: start it with -o slab_automove=1 (spec.cache.extraArgs)."
		}
		return a
	}
	return nil
}
