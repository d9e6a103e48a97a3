package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// itemOverheadBytes is the memory of an item in the hash table while the table doubles.
const itemOverheadBytes = 16

// waste reports slab classes whose chunks are much larger than their items.
func waste(s situation) *Advice {
	wasted, used, worst := 0.0, 0.0, ""
	most := 0.0
	for _, sample := range s.samples {
		for _, c := range sample.classes() {
			requested, _ := c.item("mem_requested")
			chunks := c.slab("used_chunks") * c.slab("chunk_size")
			lost := max(0, chunks-requested)
			wasted, used = wasted+lost, used+chunks
			if lost > most {
				most = lost
				worst = fmt.Sprintf("class %d of %s loses %s of chunks of %.0f bytes", c.id, sample.Address, bytes(lost), c.slab("chunk_size"))
			}
		}
	}
	args := withFactor(s.cache.Spec.Cache.ExtraArgs, "1.08")
	if wasted < largePart/2*max(used, 1) || !s.full() || slices.Equal(args, s.cache.Spec.Cache.ExtraArgs) {
		return nil
	}
	yaml := s.yaml(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.ExtraArgs = args })
	return &Advice{Name: "Chunks", YAML: yaml, Text: "Use more slab classes, so that chunks fit the items.",
		Evidence: fmt.Sprintf("%s of the memory in use is lost in chunks that are larger than their items; %s (measured)", percent(wasted/used), worst)}
}

// withFactor returns arguments of memcached with another growth factor of the slab classes.
func withFactor(args []string, factor string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-f", args[i] == "--slab-growth-factor":
			i++ // the value
		case strings.HasPrefix(args[i], "--slab-growth-factor="):
		default:
			kept = append(kept, args[i])
		}
	}
	return append(kept, "-f", factor)
}

// evicting reports classes that evict while other classes of the same server keep old items.
func evicting(s situation) *Advice {
	const older = 5 // times
	for _, sample := range s.samples {
		young, old := class{}, class{}
		for _, c := range sample.classes() {
			_, evicted := c.item("evicted")
			pages := c.slab("total_pages")
			if evicted > 0 && (young.sample == nil || c.age() < young.age()) {
				young = c
			}
			if pages*memory.Mebibyte > largePart/2*s.whole.MemoryBytes/float64(len(s.samples)) && (old.sample == nil || c.age() > old.age()) {
				old = c
			}
		}
		if young.sample == nil || old.sample == nil || old.age() < older*young.age() {
			continue
		}
		a := &Advice{Name: "Classes", Text: "Some slab classes evict while others keep old items. memcached moves pages between them only slowly; caches of their own for small and large items share the memory better.",
			Evidence: fmt.Sprintf("%s: class %d (%.0f bytes) evicts items after %s, class %d (%.0f bytes) keeps them for %s in %.0f pages (measured)", sample.Address,
				young.id, young.slab("chunk_size"), duration(young.age()), old.id, old.slab("chunk_size"), duration(old.age()), old.slab("total_pages"))}
		if sample.Settings["slab_automove"] == "0" {
			a.Text = "Let memcached move pages to the slab classes that evict."
			a.YAML = s.yaml(func(spec *v1alpha1.MemcachedSpec) {
				spec.Cache.ExtraArgs = append(spec.Cache.ExtraArgs, "-o", "slab_automove=1")
			})
		}
		return a
	}
	return nil
}

// maxConnections is the maximum of spec.cache.maxConnections.
const maxConnections = 1_000_000

// connections reports servers whose connections are near their limit.
func connections(s situation) *Advice {
	worst, refused, limit := 0.0, 0.0, 0.0
	for _, sample := range s.samples {
		refusals := sample.rate("listen_disabled_num") + sample.rate("rejected_connections")
		most := sample.After.General.number("max_connections")
		open := sample.After.General.number("curr_connections") / max(most, 1)
		if refusals > refused || refusals == refused && open > worst {
			worst, refused, limit = open, refusals, most
		}
	}
	if worst < busyPart && refused == 0 {
		return nil
	}
	yaml := s.yaml(func(spec *v1alpha1.MemcachedSpec) {
		spec.Cache.MaxConnections = new(int64(min(maxConnections, 2*limit)))
	})
	return &Advice{Name: "Connections", YAML: yaml, Text: "Allow more connections, or let clients use fewer.",
		Evidence: fmt.Sprintf("%s of %.0f connections are open; %.1f per second are refused (measured)", percent(worst), limit, refused)}
}

// threads reports servers whose threads have no CPU time left.
func threads(s situation) *Advice {
	worst, count := 0.0, 0.0
	for _, sample := range s.samples {
		all := max(1, sample.After.General.number("threads"))
		if used := (sample.rate("rusage_user") + sample.rate("rusage_system")) / all; used > worst {
			worst, count = used, all
		}
	}
	if worst < busyPart {
		return nil
	}
	yaml := s.yaml(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.Threads = new(int32(min(64, 2*count))) })
	return &Advice{Name: "Threads", YAML: yaml, Text: "Give memcached more threads and CPUs, or distribute the keys over more servers.",
		Evidence: fmt.Sprintf("%.0f threads use %s of their CPU time (measured)", count, percent(worst))}
}

// overhead advises the overheadPercent that the hash table needs with the real sizes of items.
func overhead(s situation) *Advice {
	if !s.known || s.whole.Items == 0 || s.whole.UsedBytes == 0 {
		return nil
	}
	average := s.whole.UsedBytes / s.whole.Items
	need := max(1, int64(math.Ceil(100*itemOverheadBytes/average)))
	have := *s.cache.Spec.Cache.OverheadPercent
	if need <= have && need > have/2 || !s.full() {
		return nil
	}
	yaml := s.yaml(func(spec *v1alpha1.MemcachedSpec) { spec.Cache.OverheadPercent = new(need) })
	a := &Advice{Name: "Overhead", YAML: yaml, Text: fmt.Sprintf("Set overheadPercent to %d: the items are large, so that their table needs less memory.", need)}
	if need > have {
		a.Text = fmt.Sprintf("Increase overheadPercent to %d: the items are small, so that their table needs more memory.", need)
	}
	a.Evidence = fmt.Sprintf("an item takes %.0f bytes on average (measured), and up to %d bytes in the hash table; overheadPercent is %d", average, itemOverheadBytes, have)
	return a
}

// flash advises a flash tier where large items use most of the memory and more of it gives hits.
func flash(s situation) *Advice {
	const largeBytes = 2048
	large, count := 0.0, 0.0
	for _, sample := range s.samples {
		if sample.Listing == nil || sample.After.General["extstore_limit_maxbytes"] != "" {
			return nil
		}
		for _, c := range sample.classes() {
			if c.listed != nil && c.listed.Bytes >= largeBytes*c.listed.Items {
				requested, _ := c.item("mem_requested")
				items, _ := c.item("number")
				large, count = large+requested, count+items
			}
		}
	}
	if s.whole.Curve == nil || large < (1-largePart)*s.whole.ItemBytes || s.whole.Evictions == 0 || s.cache.Spec.Flash != nil {
		return nil
	}
	gained := 100 * (at(s.whole.Curve, MaxFactor).HitRatio - s.whole.HitRatio)
	if gained < worthPoints {
		return nil
	}
	const times = 10
	gibibytes := max(1, int64(times*s.whole.MemoryBytes)/int64(len(s.samples))>>30)
	yaml := s.yaml(func(spec *v1alpha1.MemcachedSpec) {
		spec.Flash = &v1alpha1.Flash{Size: memory.MebibyteQuantity(gibibytes << 10), AverageItemSize: resource.NewQuantity(int64(large/count), resource.DecimalSI)}
	})
	return &Advice{Name: "Flash", YAML: yaml, Text: "Keep the large items on flash, which costs less than memory.",
		Evidence: fmt.Sprintf("items of 2 KiB and more, %.0f bytes on average, use %s of the memory (measured); four times the memory gives %.1f points (extrapolated)",
			large/count, percent(large/s.whole.ItemBytes), gained)}
}
