package advise

import "math"

// observation is what the gets of a slab class led to.
type observation struct {
	// age is the age at which an item is evicted that no client gets, in seconds.
	age float64
	// evicts reports whether the class evicts items.
	evicts bool
	// segments reports whether the LRU has segments, as by default.
	segments bool
	groups   []group
	// hits are the hits per second in each segment, and items the items.
	hits, items lifetime
}

// group is the items with about the same TTL.
type group struct {
	ttl float64 // infinite without a TTL
	// ages has the items by age: those that no client got since they were stored, or all in an LRU without segments.
	ages histogram
}

// The keys of a demand have rates in steps of an eighth of an order of magnitude, around one get within the age at which items are
// evicted.
const (
	ratesPerDecade = 8
	slowestDecade  = -3
	rates          = 6 * ratesPerDecade
)

// spans are how long clients request keys, in relation to the age at which items are evicted. In most caches the popularity of
// keys changes slowly, so that the fit begins with few keys of a limited span.
var spans = []struct{ ages, weight float64 }{{math.Inf(1), 1}, {5, 0.01}, {1, 0.01}, {0.2, 0.01}}

// demand is what clients request. It predicts caches of other sizes.
type demand struct {
	observation
	parts []part
	// misfit is the part of the items whose ages the demand does not explain.
	misfit float64
}

// part is the gets per second for some keys.
type part struct {
	keys
	group int
	gets  float64
}

// row is a figure that was observed, and how much a get per second of each part adds to it. It has the parts from first on.
type row struct {
	observed float64
	first    int
	adds     []float64
	// aged reports whether the figure is the number of items of some ages.
	aged bool
}

const (
	iterations = 400
	// flatIterations are for an LRU without segments, which shows less of the gets.
	flatIterations = 10 * iterations
	// youngPart is the part of an age up to which the ages of items are compared. Older items are being evicted.
	youngPart = 0.9
	// updateSeconds is how often an LRU without segments notes the time of a get at most.
	updateSeconds = 60
)

// fit returns the demand that most probably leads to what was observed (Richardson 1972, Lucy 1974). What the observation does not
// show stays in the proportions of the initial value: the same gets for each order of magnitude of rates, and for each TTL as many as it
// has items.
func fit(o observation) demand {
	d := demand{observation: o}
	for i, g := range o.groups {
		for _, span := range spans {
			for j := range rates {
				rate := math.Pow(10, slowestDecade+(float64(j)+0.5)/ratesPerDecade) / o.age
				d.parts = append(d.parts, part{keys{rate, g.ttl, span.ages * o.age}, i, span.weight * g.ages.from(0)})
			}
		}
	}
	rows := d.rows()
	count := iterations
	if !o.segments {
		count = flatIterations
	}
	for range count {
		d.improve(rows)
	}
	differ, all := 0.0, 0.0
	for _, r := range rows {
		if r.aged {
			expected := d.expect(r)
			differ += max(0, math.Abs(r.observed-expected)-math.Sqrt(expected)) // the root is chance
			all += r.observed
		}
	}
	d.misfit = differ / max(all, 1)
	return d
}

// rows returns what was observed as counts, so that frequent events weigh more.
func (d *demand) rows() []row {
	var rows []row
	perGroup := len(spans) * rates
	add := func(observed float64, aged bool, parts []part, first int, each func(part, lifetime) float64) {
		r := row{observed, first, make([]float64, len(parts)), aged}
		for i, p := range parts {
			life := p.lifetime(d.age, d.segments)
			r.adds[i] = each(p, life)
		}
		rows = append(rows, r)
	}
	for i, g := range d.groups {
		for bin := range g.ages {
			from, to := edge(bin), edge(bin+1)
			if to > youngPart*min(d.age, g.ttl) {
				break
			}
			if !d.segments && from < updateSeconds {
				continue
			}
			add(g.ages[bin], true, d.parts[i*perGroup:(i+1)*perGroup], i*perGroup, func(p part, l lifetime) float64 {
				if d.segments {
					return p.unread(from, to) * p.stores(l)
				}
				return p.unread(from, to) // the age of an item begins at each get
			})
		}
	}
	segments := []func(lifetime) float64{lifetime.requested}
	if d.segments {
		segments = []func(lifetime) float64{lifetime.inHot, lifetime.inWarm, lifetime.inCold}
	}
	for _, in := range segments {
		add(in(d.hits)*d.age, false, d.parts, 0, func(p part, l lifetime) float64 { return d.age * p.rate * in(l) * p.stores(l) })
		add(in(d.items), false, d.parts, 0, func(p part, l lifetime) float64 { return in(l) * (1 + l.dead/l.requested()) * p.stores(l) })
	}
	return rows
}

func (d *demand) expect(r row) (sum float64) {
	for i, add := range r.adds {
		sum += add * d.parts[r.first+i].gets
	}
	return sum
}

// improve changes the gets of each part by the ratio of what was observed and what is expected, in the rows to which it adds.
func (d *demand) improve(rows []row) {
	sums, weights := make([]float64, len(d.parts)), make([]float64, len(d.parts))
	for _, r := range rows {
		ratio := 0.0
		if expected := d.expect(r); expected > 0 {
			ratio = r.observed / expected
		}
		for i, add := range r.adds {
			sums[r.first+i] += add * ratio
			weights[r.first+i] += add
		}
	}
	for i := range d.parts {
		if weights[i] > 0 {
			d.parts[i].gets *= sums[i] / weights[i]
		}
	}
}

// at returns the items and the misses per second of a cache that evicts at an age.
func (d *demand) at(age float64) (items, misses float64) {
	for _, p := range d.parts {
		life := p.lifetime(age, d.segments)
		stored := p.gets * p.stores(life)
		misses += stored
		items += stored * (life.requested() + life.dead)
	}
	return items, misses
}

// resized returns the age at which a cache for another number of items evicts, and its misses per second. The age is infinite if
// the demand does not fill the cache.
func (d *demand) resized(factor float64) (age, misses float64) {
	now, misses := d.at(d.age)
	if factor == 1 {
		return d.age, misses
	}
	low, high := d.age*1e-3, d.age*1e3
	if items, misses := d.at(high); items < now*factor {
		return math.Inf(1), misses
	}
	for high/low > 1.001 {
		middle := math.Sqrt(low * high)
		if items, _ := d.at(middle); items < now*factor {
			low = middle
		} else {
			high = middle
		}
	}
	_, misses = d.at(high)
	return high, misses
}
