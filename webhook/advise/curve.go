package advise

import (
	"fmt"
	"math"
	"slices"
)

// Kind is how a figure was obtained.
type Kind string

// The kinds of figures.
const (
	Measured     Kind = "measured"
	Predicted    Kind = "predicted"
	Extrapolated Kind = "extrapolated"
)

// Point is the hit ratio of a cache with an amount of memory.
type Point struct {
	// Factor is the memory in relation to the current memory.
	Factor      float64 `json:"factor"`
	MemoryBytes float64 `json:"memoryBytes"`
	HitRatio    float64 `json:"hitRatio"`
	Kind        Kind    `json:"kind"`
	// WindowSeconds is the age at which a cache of this size evicts items that no client gets; 0 if it evicts none.
	WindowSeconds float64 `json:"windowSeconds"`
	// BytesPerPoint is the memory that the next percentage point of hit ratio costs; 0 if more memory gives nothing.
	BytesPerPoint float64 `json:"bytesPerPoint"`
	// MeanError and WorstError are what was measured for such hit ratios, in percentage points.
	MeanError  float64 `json:"meanErrorPoints"`
	WorstError float64 `json:"worstErrorPoints"`
}

// measuredErrors are the mean and the worst error in percentage points that a test measures with recordings of real servers, for
// factors up to the named one.
var measuredErrors = []struct{ factor, mean, worst float64 }{
	{0.49, 3.4, 4.3}, // a quarter
	{0.99, 0.7, 1.5}, // half
	{1, 0, 0},
	{2, 1.2, 1.8},
	{MaxFactor, 2.1, 6.9},
}

const (
	// MaxFactor is the largest memory of a curve, in relation to the current memory, and 1/MaxFactor is the smallest.
	MaxFactor = 4
	// pointsPerDoubling is the resolution of a curve.
	pointsPerDoubling = 4
	// coarseSeconds is the window below which the clock of the items, whose seconds memcached updates late, is too coarse.
	coarseSeconds = 180
	// minGets is the number of gets in the interval that makes a hit ratio exact to one percentage point.
	minGets = 2500
	// maxChange is the difference between the misses that the ages of the items show and those in the interval, in relation to
	// the gets, above which the gets have changed too much for a prediction.
	maxChange = 0.03
	// maxMisfit is the part of the items whose ages are not those of steady gets above which there is no prediction. In steady
	// caches, 2 to 16 percent were measured, and 20 percent and more after changes.
	maxMisfit = 0.2
	// fullPart is the part of the memory in use from which a server is full.
	fullPart = 0.95
)

// curve returns the hit ratios of a server with more and less memory, or why they cannot be predicted.
func (s *Sample) curve() (points []Point, reason string) {
	gets := s.rate("cmd_get")
	switch {
	case s.Listing == nil:
		return nil, s.NoListing
	case s.onFlash():
		return nil, "some items are on flash, which has a size of its own"
	case gets*s.Seconds < minGets:
		return nil, fmt.Sprintf("the interval has only %s, too few for a prediction: increase --watch", quantity(gets*s.Seconds, "get"))
	}
	demands, reason := s.demands(gets)
	if reason != "" {
		return nil, reason
	}
	full := s.used()
	if full > fullPart || s.rate("evictions") > 0 {
		full = 1
	}
	for i := -2 * pointsPerDoubling; i <= 2*pointsPerDoubling; i++ {
		p := Point{Factor: math.Exp2(float64(i) / pointsPerDoubling), Kind: Extrapolated}
		p.MemoryBytes = p.Factor * s.After.General.number("limit_maxbytes")
		switch {
		case i < 0:
			p.Kind = Predicted
		case i == 0:
			p.Kind = Measured
		}
		for _, e := range slices.Backward(measuredErrors) {
			if p.Factor <= e.factor {
				p.MeanError, p.WorstError = e.mean, e.worst
			}
		}
		window, more := resize(demands, p.Factor, full)
		if !math.IsInf(window, 1) {
			p.WindowSeconds = window
		}
		p.HitRatio = min(1, max(0, s.rate("get_hits")/gets-more/gets))
		points = append(points, p)
	}
	return costs(points), ""
}

// demands returns what clients request of each class, or why it does not predict anything.
func (s *Sample) demands(gets float64) (demands []demand, reason string) {
	misses, misfit := 0.0, 0.0
	for _, c := range s.classes() {
		if c.listed == nil {
			continue // the class was empty during the listing
		}
		d := fit(c.observe())
		demands = append(demands, d)
		_, stored := d.at(d.age)
		misses += stored
		misfit += d.misfit * stored
	}
	if misfit > maxMisfit*misses {
		return nil, fmt.Sprintf("the ages of %s of the items do not fit steady gets: the gets have changed in the last %s, or memcached "+
			"moves memory between slab classes. Try again later", percent(min(1, misfit/misses)), duration(s.window()))
	}
	if stored := min(s.rate("cmd_set"), s.rate("get_misses")); math.Abs(misses-stored) > maxChange*gets {
		return nil, fmt.Sprintf("the ages of the items show %.0f misses per second, but the interval had %.0f: the gets have changed "+
			"in the last %s. Try again later", misses, stored, duration(s.window()))
	}
	return demands, ""
}

// resize returns the lowest age at which a class of a resized server evicts, and how many misses per second the server has more.
// full is the part of the memory that is in use: what is not in use changes nothing. Classes that evict nothing have no age at which
// they evict, unless this is so for all of them and the server shrinks.
func resize(demands []demand, factor, full float64) (window, more float64) {
	window = math.Inf(1)
	evicts := slices.ContainsFunc(demands, func(d demand) bool { return d.evicts })
	for _, d := range demands {
		if full < 1 && factor >= full {
			continue
		}
		_, now := d.at(d.age)
		age, then := d.resized(factor / full)
		if d.evicts || !evicts && factor < 1 {
			window = min(window, age)
		}
		more += then - now
	}
	return window, more
}

// costs sets the memory that the next point of hit ratio costs at each point of a curve.
func costs(points []Point) []Point {
	for i := range len(points) - 1 {
		if gain := 100 * (points[i+1].HitRatio - points[i].HitRatio); gain > 1e-3 {
			points[i].BytesPerPoint = (points[i+1].MemoryBytes - points[i].MemoryBytes) / gain
		}
	}
	points[len(points)-1].BytesPerPoint = points[len(points)-2].BytesPerPoint
	return points
}

// age returns the lowest age at which a class evicts items that no client gets.
func (s *Sample) age() float64 {
	lowest := math.Inf(1)
	for _, c := range s.classes() {
		if c.evicts() {
			lowest = min(lowest, c.age())
		}
	}
	return lowest
}

// onFlash reports whether values are on flash.
func (s *Sample) onFlash() bool {
	for _, class := range s.Listing.Classes {
		if class.Flash > 0 {
			return true
		}
	}
	return false
}

// window returns the time that the ages of the items show.
func (s *Sample) window() float64 { return min(s.age(), s.After.General.number("uptime")) }

// used returns the part of the memory for items that has items.
func (s *Sample) used() float64 {
	return min(1, s.After.Slabs.number("total_malloced")/max(1, s.After.General.number("limit_maxbytes")))
}

// sum returns the curve of several servers together, if there is one for each.
func sum(curves [][]Point, gets []float64) []Point {
	var whole []Point
	total := 0.0
	for i, curve := range curves {
		if curve == nil {
			return nil
		}
		if whole == nil {
			whole = make([]Point, len(curve))
		}
		total += gets[i]
		for j, p := range curve {
			w := &whole[j]
			if w.WindowSeconds == 0 || p.WindowSeconds > 0 && p.WindowSeconds < w.WindowSeconds {
				w.WindowSeconds = p.WindowSeconds
			}
			w.Factor, w.Kind, w.MeanError, w.WorstError = p.Factor, p.Kind, p.MeanError, p.WorstError
			w.MemoryBytes += p.MemoryBytes
			w.HitRatio += p.HitRatio * gets[i]
		}
	}
	for j := range whole {
		whole[j].HitRatio /= total
	}
	return costs(whole)
}

// at returns the point of a curve with a factor.
func at(curve []Point, factor float64) Point {
	best := curve[0]
	for _, p := range curve {
		if math.Abs(p.Factor-factor) < math.Abs(best.Factor-factor) {
			best = p
		}
	}
	return best
}
