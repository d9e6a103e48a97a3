package advise

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Advice is what to do, and why.
type Advice struct {
	// Name identifies the kind of advice.
	Name string `json:"name"`
	Text string `json:"text"`
	// Evidence are the figures from which the advice follows.
	Evidence string `json:"evidence"`
	// YAML is what to change in a Memcached; "" if no field changes.
	YAML string `json:"yaml,omitempty"`
}

const (
	// worthPoints is the gain from which twice the memory is worth its cost, and smallPoints the loss up to which half the
	// memory is enough.
	worthPoints = 3.0
	smallPoints = 1.0
	// largePart is the part of something from which it is worth an advice, and unreadPart the part of the memory with items that
	// no client reads.
	largePart  = 0.2
	unreadPart = 0.5
	// busyPart is the part of a limit from which the limit is near.
	busyPart = 0.8
)

// situation is all that an advice follows from.
type situation struct {
	samples []*Sample
	whole   Server
	// cache has its defaults. If the servers are not those of a known Memcached, it is one with the memory of the servers.
	cache *v1alpha1.Memcached
	known bool
}

func advice(samples []*Sample, whole Server, cache *v1alpha1.Memcached) []Advice {
	known := cache != nil
	if !known {
		cache = &v1alpha1.Memcached{}
		items := memory.MebibyteQuantity(int64(whole.MemoryBytes) / memory.Mebibyte / int64(len(samples)))
		cache.Spec.Cache.Memory = items
	}
	cache = cache.DeepCopy()
	cache.Default()
	s := situation{samples, whole, cache, known}
	all := []Advice{} // [] in JSON
	for _, rule := range []func(situation) *Advice{size, unread, idle, waste, evicting, expiring, connections, threads, overhead, flash} {
		if a := rule(s); a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// size advises to keep, halve or double the memory.
func size(s situation) *Advice {
	if s.whole.Curve == nil {
		return nil
	}
	half, double := at(s.whole.Curve, 0.5), at(s.whole.Curve, 2)
	lost, gained := 100*(s.whole.HitRatio-half.HitRatio), 100*(double.HitRatio-s.whole.HitRatio)
	a := &Advice{Evidence: fmt.Sprintf("half the memory: %s (predicted, %+.1f points); twice the memory: %s (extrapolated, %+.1f points)",
		percent(half.HitRatio), -lost, percent(double.HitRatio), gained)}
	switch {
	case lost <= smallPoints && s.halves():
		a.Name, a.Text, a.YAML = "Halve", "Halve the memory: the hit ratio stays about the same.", s.resize(0.5)
	case gained >= worthPoints:
		a.Name, a.Text, a.YAML = "Double", "Double the memory, if a hit is worth it: "+costText(double, s.whole)+".", s.resize(2)
	case lost <= smallPoints:
		a.Name, a.Text = "Keep", fmt.Sprintf("Keep the memory: half of it is less than the minimum of %d MiB.", memory.MinItemMiB)
	default:
		a.Name, a.Text = "Keep", "Keep the memory: more gives little, and less costs hits."
	}
	if half.WindowSeconds < coarseSeconds && half.WindowSeconds > 0 {
		a.Evidence += "; at half the memory, items stay for less than three minutes, for which the clock of the items is too coarse"
	}
	return a
}

func costText(double Point, whole Server) string {
	return fmt.Sprintf("%s more memory gives %.1f points", bytes(double.MemoryBytes-whole.MemoryBytes), 100*(double.HitRatio-whole.HitRatio))
}

// halves reports whether a Memcached can have half of the memory.
func (s situation) halves() bool { return memory.Of(&s.cache.Spec).ItemMiB >= 2*memory.MinItemMiB }

// resize returns the YAML for a factor of the memory.
func (s situation) resize(factor float64) string {
	items := math.Round(float64(memory.Of(&s.cache.Spec).ItemMiB) * factor)
	return s.yaml(func(spec *v1alpha1.MemcachedSpec) {
		spec.Cache.Memory = memory.MebibyteQuantity(max(memory.MinItemMiB, int64(items)))
	})
}

// yaml returns the fields that a change of the cache changes, or "" if there are none, with the memory limit that they need if the cache has one.
func (s situation) yaml(change func(*v1alpha1.MemcachedSpec)) string {
	changed := s.cache.DeepCopy()
	change(&changed.Spec)
	changed.Default()
	old, cache := s.cache.Spec.Cache, map[string]any{}
	if m := changed.Spec.Cache.Memory; m != nil && (old.Memory == nil || m.Cmp(*old.Memory) != 0) {
		cache["memory"] = m.String()
	}
	if p := *changed.Spec.Cache.OverheadPercent; p != *old.OverheadPercent {
		cache["overheadPercent"] = p
	}
	if n := *changed.Spec.Cache.MaxConnections; n != *old.MaxConnections {
		cache["maxConnections"] = n
	}
	if n := *changed.Spec.Cache.Threads; n != *old.Threads {
		cache["threads"] = n
	}
	if args := changed.Spec.Cache.ExtraArgs; !slices.Equal(args, old.ExtraArgs) {
		cache["extraArgs"] = args
	}
	spec := map[string]any{}
	if len(cache) > 0 {
		spec["cache"] = cache
	}
	if f := changed.Spec.Flash; f != nil && s.cache.Spec.Flash == nil {
		spec["flash"] = map[string]any{"size": f.Size.String(), "averageItemSize": f.AverageItemSize.Value()}
	}
	if len(spec) == 0 {
		return ""
	}
	if _, limited := s.cache.Spec.Resources.Limits[corev1.ResourceMemory]; limited {
		if changed.Spec.Cache.Memory == nil { // the limit must leave as much memory for items as before
			changed.Spec.Cache.Memory = memory.MebibyteQuantity(memory.Of(&s.cache.Spec).ItemMiB)
		}
		limit := memory.MebibyteQuantity(memory.Of(&changed.Spec).NeededMiB)
		spec["resources"] = map[string]any{"limits": map[string]any{"memory": limit.String()}}
	}
	content, err := yaml.Marshal(map[string]any{"spec": spec})
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	return string(content)
}

// listed returns sums over the items of all listings, scaled to all items.
func (s situation) listed(part func(*ListedClass) float64) (sum float64) {
	for _, sample := range s.samples {
		if sample.Listing == nil {
			continue
		}
		items, total := 0.0, 0.0
		for _, class := range sample.Listing.Classes {
			items += class.Items
			total += part(class)
		}
		if items > 0 {
			sum += total * max(1, sample.After.General.number("curr_items")/items)
		}
	}
	return sum
}

// full reports whether the servers use their memory. What a server does with spare memory needs no advice.
func (s situation) full() bool { return s.whole.UsedBytes >= fullPart*s.whole.MemoryBytes }

func (s situation) bytes() float64 {
	return max(1, s.listed(func(c *ListedClass) float64 { return c.Bytes }))
}

// unread advises writers whose items no client gets.
func unread(s situation) *Advice {
	stored := s.listed(func(c *ListedClass) float64 { return c.Bytes - c.FetchedBytes })
	old := s.listed(func(c *ListedClass) float64 { return c.Unread.from(60) })
	evicted, all := 0.0, 0.0
	for _, sample := range s.samples {
		for _, c := range sample.classes() {
			_, unfetched := c.item("evicted_unfetched")
			_, total := c.item("evicted")
			evicted, all = evicted+unfetched, all+total
		}
	}
	if old < unreadPart*s.bytes() || !s.full() {
		return nil
	}
	evidence := fmt.Sprintf("%s of the memory has items that no client got since they were stored, %s more than a minute ago (measured)",
		percent(stored/s.bytes()), percent(old/s.bytes()))
	if all > 0 {
		evidence += fmt.Sprintf("; %s of the evicted items were never read (measured)", percent(evicted/all))
	}
	return &Advice{Name: "NeverRead", Evidence: evidence,
		Text: "Let clients store less: most of the memory has items that no client reads. Store items at their second miss, or with a shorter TTL."}
}

// idle reports memory whose items were not in use for long.
func idle(s situation) *Advice {
	hour := s.listed(func(c *ListedClass) float64 { return c.Idle.from(3600) }) / s.bytes()
	day := s.listed(func(c *ListedClass) float64 { return c.Idle.from(86400) }) / s.bytes()
	forgotten := s.listed(func(c *ListedClass) float64 { return c.Unread.from(3600) }) / s.bytes()
	if hour < largePart {
		return nil
	}
	return &Advice{Name: "Idle", Text: "A part of the memory is idle. Set TTLs, or use the curve to choose less memory.",
		Evidence: fmt.Sprintf("items not used for more than an hour: at most %s of the memory, for more than a day: at most %s (measured; memcached does not "+
			"note each get); stored more than an hour ago and never read: %s", percent(hour), percent(day), percent(forgotten))}
}

// expiring reports that TTLs limit how much memory is useful.
func expiring(s situation) *Advice {
	items, ttls := s.listed(func(c *ListedClass) float64 { return c.Items }), s.listed(func(c *ListedClass) float64 { return c.Expiring })
	if s.whole.Curve == nil || items == 0 || ttls < (1-largePart)*items {
		return nil
	}
	last := s.whole.Curve[len(s.whole.Curve)-1]
	for _, p := range s.whole.Curve {
		if p.Factor >= 1 && p.Factor <= 2 && 100*(last.HitRatio-p.HitRatio) < smallPoints/2 {
			return &Advice{Name: "TTLs", Text: "TTLs limit how much memory is useful: above " + bytes(p.MemoryBytes) + ", items expire before they are evicted.",
				Evidence: fmt.Sprintf("%s of the items have a TTL (measured); memory above %s gives less than half a point (extrapolated)", percent(ttls/items), bytes(p.MemoryBytes))}
		}
	}
	return nil
}

// percent returns a part as a percentage, and bytes a number of bytes as a quantity of MiB or GiB.
func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }

func bytes(n float64) string {
	mebibytes := n / memory.Mebibyte
	if mebibytes >= 10*1024 {
		return fmt.Sprintf("%.1f GiB", mebibytes/1024)
	}
	if mebibytes < 10 {
		return fmt.Sprintf("%.1f MiB", mebibytes)
	}
	return fmt.Sprintf("%.0f MiB", mebibytes)
}
