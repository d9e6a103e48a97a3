package advise

import "fmt"

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
	return &Advice{Name: "Chunks", Text: "Use more slab classes, so that chunks fit the items better: start memcached with -f 1.08 (spec.cache.extraArgs).",
		Evidence: fmt.Sprintf("%s of the memory in use is lost in chunks that are larger than their items; %s", percent(wasted/used), worst)}
}

// class is a slab class of a server.
type class struct {
	id                  int
	chunk, wasted, used float64
}

// slabClasses returns the slab classes with items.
func (s *Sample) slabClasses() (all []class) {
	for id := range 64 {
		requested := s.After.Items.number(fmt.Sprintf("items:%d:mem_requested", id))
		slab := func(name string) float64 { return s.After.Slabs.number(fmt.Sprintf("%d:%s", id, name)) }
		if c := (class{id: id, chunk: slab("chunk_size"), used: slab("used_chunks") * slab("chunk_size")}); c.used > 0 {
			c.wasted = max(0, c.used-requested)
			all = append(all, c)
		}
	}
	return all
}
