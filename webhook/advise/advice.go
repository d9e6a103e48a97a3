package advise

import (
	"fmt"
	"math"

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
	// YAML is what to change in a Memcached; "" without one, and if no field changes.
	YAML string `json:"yaml,omitempty"`
}

const (
	// worthPoints is the gain from which twice the memory is worth its cost, and smallPoints the loss up to which half the
	// memory is enough.
	worthPoints = 3.0
	smallPoints = 1.0
	// largePart is the part of something from which it is worth an advice.
	largePart = 0.2
	// spareFactor is the memory to keep in relation to the used memory. A cache fills if its items grow by minGrowth in the
	// interval, and fill the memory in maxFillHours.
	spareFactor  = 1.25
	minGrowth    = 0.001
	maxFillHours = 30 * 24
	// minUptime is the number of seconds after which a cache has the items that it needs.
	minUptime = 3600
)

// situation is all that an advice follows from.
type situation struct {
	samples []*Sample
	whole   Server
	// cache is nil if the servers are not those of a known Memcached.
	cache *v1alpha1.Memcached
}

func advice(s situation) []Advice {
	all := []Advice{} // [] in JSON
	for _, rule := range []func(situation) *Advice{size, waste} {
		if a := rule(s); a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// size advises to keep or to change the memory, or says what is missing for that.
func size(s situation) *Advice {
	w := s.whole
	if w.UsedBytes < fullPart*w.MemoryBytes && w.Evictions == 0 {
		return s.spare()
	}
	if w.Curve == nil {
		return &Advice{Name: "Unknown", Text: "Keep the memory for now. The reason above prevents a prediction for less or more memory.",
			Evidence: fmt.Sprintf("%s is used, %s/s", percent(w.UsedBytes/max(1, w.MemoryBytes)), quantity(w.Evictions, "eviction"))}
	}
	lost, more := 100*(w.HitRatio-at(w.Curve, 0.5).HitRatio), w.larger()
	gained := 100 * (more.HitRatio - w.HitRatio)
	a := &Advice{Evidence: fmt.Sprintf("half of the memory: %.1f points less", lost)}
	if more.Factor > 1 && w.Evictions > 0 {
		a.Evidence += fmt.Sprintf("; %g times the memory: %.1f points more (%s)", more.Factor, gained, more.Kind)
	}
	switch covered := w.IntervalSeconds >= w.HalfSeconds; {
	case gained >= worthPoints:
		a.Name, a.YAML = "Increase", s.resize(s.each(more.Factor))
		a.Text = fmt.Sprintf("Increase the memory of each server to %s if the hits are worth the memory: the hit ratio increases by %.1f points.", mebibytes(s.each(more.Factor)), gained)
	case lost <= smallPoints && covered && s.each(0.5) >= s.minimum():
		a.Name, a.YAML = "Halve", s.resize(s.each(0.5))
		a.Text = fmt.Sprintf("Decrease the memory of each server to %s: this costs at most %.0f point of hit ratio, as long as clients send the same kind of requests as in these %s.",
			mebibytes(s.each(0.5)), smallPoints, duration(w.IntervalSeconds))
	default:
		a.Name, a.Text = s.keep(lost, more, covered)
	}
	return a
}

// keep returns the name and the text of the advice to keep the memory. lost are the points that half of the memory costs. The
// interval has covered whether clients need what half would not have.
func (s situation) keep(lost float64, more Point, covered bool) (name, text string) {
	w := s.whole
	switch {
	case more.Factor < 2 && w.Evictions > 0:
		return "Watch", fmt.Sprintf("Keep the memory for now. To find out whether more is better, use --watch=%s: in %s, too few items were evicted to count how many "+
			"of them are requested again.", minutes(max(2*w.IntervalSeconds, w.Items/w.Evictions)), duration(w.IntervalSeconds))
	case lost <= smallPoints && !covered:
		return "Watch", fmt.Sprintf("Keep the memory. Half may be enough, but it would not have items that were last used up to %s ago. To find out whether clients still need "+
			"them, use --watch=%s.", duration(w.HalfSeconds), minutes(w.HalfSeconds))
	case lost <= smallPoints:
		return "Keep", fmt.Sprintf("Keep the memory: half of it is below the minimum of spec.cache.memory, %d MiB.", memory.MinItemMiB)
	case w.Evictions == 0:
		return "Keep", "Keep the memory: nothing is evicted, so more memory gains nothing, and less costs hits."
	default:
		return "Keep", fmt.Sprintf("Keep the memory: twice the memory gains less than %.0f points, and half costs hits.", worthPoints)
	}
}

// larger returns the point to increase the memory to: the first that is worth it, or else the largest up to twice the memory.
func (v Server) larger() Point {
	for _, factor := range []float64{2, 1.5, 4} {
		if p := at(v.Curve, factor); p != nil && 100*(p.HitRatio-v.HitRatio) >= worthPoints {
			return *p
		}
	}
	for _, factor := range []float64{2, 1.5} {
		if p := at(v.Curve, factor); p != nil {
			return *p
		}
	}
	return *at(v.Curve, 1)
}

// minutes returns seconds, and a reserve, as the value of a flag.
func minutes(seconds float64) string { return fmt.Sprintf("%.0fm", math.Ceil(1.2*seconds/60)) }

// spare advises to remove memory that has no items, unless the cache fills it.
func (s situation) spare() *Advice {
	w, grown, uptime := s.whole, 0.0, math.Inf(1)
	for _, sample := range s.samples {
		grown += sample.change("bytes")
		uptime = min(uptime, sample.After.General.number("uptime"))
	}
	evidence := fmt.Sprintf("%s of %s is used, and nothing is evicted", bytes(w.UsedBytes), bytes(w.MemoryBytes))
	if half := at(w.Curve, 0.5); half != nil {
		evidence += fmt.Sprintf("; half of the memory: %.1f points less", 100*(w.HitRatio-half.HitRatio))
	}
	free := w.MemoryBytes - w.UsedBytes
	if hours := free / max(1, grown) * w.IntervalSeconds / 3600; grown > minGrowth*w.ItemBytes && hours < maxFillHours {
		return &Advice{Name: "Filling", Evidence: fmt.Sprintf("%s; the items have grown by %s in %s", evidence, bytes(grown), duration(w.IntervalSeconds)),
			Text: fmt.Sprintf("Keep the memory: the cache is still filling. Run advise again in %s, when the cache is full at this rate.", duration(3600*hours))}
	}
	part := max(memory.MinItemMiB, int64(math.Ceil(spareFactor*w.UsedBytes/memory.Mebibyte/float64(len(s.samples)))))
	if float64(part) > float64(s.each(1))*(1-largePart) {
		return &Advice{Name: "Keep", Evidence: evidence, Text: "Keep the memory: all items fit, so more memory gains nothing."}
	}
	if w.Items == 0 || uptime < minUptime {
		return &Advice{Name: "Young", Evidence: evidence, Text: fmt.Sprintf("Keep the memory for now: the cache has %s, and has run for %s. Run advise again after it has run for "+
			"an hour with the usual requests.", quantity(w.Items, "item"), duration(uptime))}
	}
	return &Advice{Name: "Reduce", Evidence: evidence, YAML: s.resize(part),
		Text: fmt.Sprintf("Decrease the memory of each server to %s, which is the used memory plus a reserve. All items still fit. The cache has not used more since it started %s ago.", mebibytes(part), duration(uptime))}
}

// each returns a part of the memory of each server in MiB.
func (s situation) each(factor float64) int64 {
	return int64(math.Round(s.whole.MemoryBytes / float64(len(s.samples)) / memory.Mebibyte * factor))
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB (memcached -m %[1]d)", n) }

// minimum returns the minimum of the memory in MiB.
func (s situation) minimum() int64 {
	if s.cache != nil {
		return memory.MinItemMiB
	}
	return 1
}

// resize returns the YAML for an amount of memory in MiB, with the memory limit that it needs if the cache has one.
func (s situation) resize(mebibytes int64) string {
	if s.cache == nil {
		return ""
	}
	changed := s.cache.WithDefaults()
	changed.Spec.Cache.Memory = memory.MebibyteQuantity(mebibytes)
	spec := map[string]any{"cache": map[string]any{"memory": changed.Spec.Cache.Memory.String()}}
	if _, limited := s.cache.Spec.Resources.Limits[corev1.ResourceMemory]; limited {
		limit := memory.MebibyteQuantity(memory.Of(&changed.Spec).NeededMiB)
		spec["resources"] = map[string]any{"limits": map[string]any{"memory": limit.String()}}
	}
	content, err := yaml.Marshal(map[string]any{"spec": spec})
	if err != nil {
		panic(err) // maps of strings
	}
	return string(content)
}

// full reports whether the servers use their memory. What a server does with spare memory needs no advice.
func (s situation) full() bool { return s.whole.UsedBytes >= fullPart*s.whole.MemoryBytes }

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
