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
	// Measured is from the statistics of the server.
	Measured Kind = "measured"
	// Counted is from the requests in the interval.
	Counted Kind = "counted"
	// Extrapolated continues what was counted for less memory.
	Extrapolated Kind = "extrapolated"
)

// Point is the hit ratio of a cache with an amount of memory.
type Point struct {
	// Factor is the memory in relation to the current memory.
	Factor      float64 `json:"factor"`
	MemoryBytes float64 `json:"memoryBytes"`
	HitRatio    float64 `json:"hitRatio"`
	Kind        Kind    `json:"kind"`
	// BytesPerPoint is the memory that one more percentage point of hit ratio costs; 0 if more memory gives nothing or it is unknown.
	BytesPerPoint float64 `json:"bytesPerPoint"`
}

// factors are those of a curve.
var factors = []float64{0.25, 0.5, 0.75, 1, 1.5, 2, 4}

const (
	maxFactor = 4
	// minGets is the number of gets in the interval that makes a hit ratio exact to one percentage point.
	minGets = 2500
	// minLogged is the part of the gets that the log must have.
	minLogged = 0.98
	// maxDiffer is the difference between the hit ratio that the replay gives for the current memory and the measured one, above
	// which there is no prediction.
	maxDiffer = 0.05
	// maxChange is the difference between the hit ratios of the two halves of the interval above which the load changes.
	maxChange = 0.05
	// minCovered is the part of the additional memory that the counts must cover to extrapolate the rest.
	minCovered = 0.5
	// fullPart is the part of the memory in use from which a server is full.
	fullPart = 0.95
)

// curve returns the hit ratios of a server with more and less memory, or why they are unknown and what to do.
func (s *Sample) curve() (points []Point, reason string) {
	if reason = s.refuse(); reason != "" {
		return nil, reason
	}
	t, r, full := s.Trace, rulesOf(s.Settings), s.fullness()
	now := t.replay(r, 1/full)
	measured := s.hitRatio()
	if differ := (now - t.hits()) / t.expected(); math.Abs(differ) > maxDiffer {
		return nil, fmt.Sprintf("a replay of the requests has a hit ratio of %s, but the server had %s, because the unknown order of its items at the start matters too much. %s",
			percent(measured+differ), percent(measured), s.watchFor(2))
	}
	more := t.more()
	for _, factor := range factors {
		p := Point{Factor: factor, MemoryBytes: factor * s.After.General.number("limit_maxbytes"), HitRatio: measured, Kind: Counted}
		switch {
		case factor < 1:
			p.HitRatio -= (now - t.replay(r, factor/full)) / t.expected()
		case factor == 1:
			p.Kind = Measured
		case s.change("evictions") > 0:
			var gained float64
			if gained, p.Kind = gain(more, factor); p.Kind == "" {
				continue
			}
			p.HitRatio += gained
		}
		p.HitRatio = min(1, max(0, p.HitRatio))
		points = append(points, p)
	}
	return costs(points), ""
}

// gain returns the hit ratio that more memory gives, and how it is known; "" if it is not.
func gain(more []float64, factor float64) (float64, Kind) {
	need := int(math.Round((factor - 1) * steps))
	switch covered := len(more); {
	case covered >= need:
		return more[need-1], Counted
	case float64(covered) >= minCovered*float64(need):
		tail := more[covered/2:]
		slope := (tail[len(tail)-1] - tail[0]) / float64(len(tail)-1)
		return more[covered-1] + slope*float64(need-covered), Extrapolated
	}
	return 0, ""
}

// refuse returns why the requests do not show the hit ratios of other sizes; "" if they do.
func (s *Sample) refuse() string {
	gets := s.change("cmd_get")
	switch {
	case s.NoTrace != "":
		return s.NoTrace
	case s.Flash > 0:
		return "some items are on flash, which advise cannot predict"
	case gets == 0:
		return "no client read from the server in the interval. Check the address, or run advise again when clients read"
	case gets < minGets || len(s.Trace.Events) == 0:
		return fmt.Sprintf("the interval has only %s, but a prediction needs %d. %s", quantity(gets, "get"), minGets, s.watchFor(minGets/gets))
	case len(s.Trace.Items) == 0:
		return "the server had no items at the start of the interval. Run advise again"
	case float64(s.Trace.Gets) < minLogged*gets:
		return fmt.Sprintf("the log of the server has only %s of the gets, because memcached skips requests that it cannot log fast enough. Run advise closer to the "+
			"server, start memcached with -o worker_logbuf_size=4096,watcher_logbuf_size=4096, or run advise when there are fewer requests", percent(max(0, float64(s.Trace.Gets))/gets))
	}
	switch first, second, both := s.Trace.halves(); {
	case !both:
		return "the load changes: clients sent gets in only one half of the interval. " + s.watchFor(4)
	case math.Abs(first-second) > maxChange:
		return fmt.Sprintf("the load changes: the hit ratio was %s in the first half of the interval, and %s in the second half. %s", percent(first), percent(second), s.watchFor(4))
	}
	return ""
}

// watchFor returns what to do to watch longer.
func (s *Sample) watchFor(factor float64) string {
	if factor*s.Seconds > 24*3600 {
		return "Run advise again when clients send more requests"
	}
	return "Use --watch=" + minutes(factor*s.Seconds)
}

// halves returns the hit ratios in the halves of the interval. both reports whether each half has gets.
func (t *Trace) halves() (first, second float64, both bool) {
	var hits, gets [2]float64
	end := t.Events[len(t.Events)-1].Millis
	for _, e := range t.Events {
		if e.Kind == Hit || e.Kind == Miss {
			half := min(1, int(2*e.Millis/max(1, end)))
			gets[half]++
			if e.Kind == Hit {
				hits[half]++
			}
		}
	}
	return hits[0] / max(1, gets[0]), hits[1] / max(1, gets[1]), gets[0] > 0 && gets[1] > 0
}

// hitRatio returns that of the interval.
func (s *Sample) hitRatio() float64 { return s.change("get_hits") / max(1, s.change("cmd_get")) }

// fullness returns the part of the memory for items that has items. What is not in use changes nothing.
func (s *Sample) fullness() float64 {
	if s.change("evictions") > 0 {
		return 1
	}
	used := 0.0
	for _, c := range s.slabClasses() {
		used += c.used
	}
	return max(0.01, min(1, used/max(1, s.After.General.number("limit_maxbytes"))))
}

// age returns the age of the item at a part of the items, of which the first was used last.
func (s *Sample) age(part float64) float64 {
	if s.Trace == nil || len(s.Trace.Items) == 0 {
		return 0
	}
	ages := make([]uint32, len(s.Trace.Items))
	for i, item := range s.Trace.Items {
		ages[i] = item.Age
	}
	slices.Sort(ages)
	return float64(ages[min(len(ages)-1, int(part*float64(len(ages))))])
}

// costs sets the memory that the next point of hit ratio costs at each point of a curve.
func costs(points []Point) []Point {
	for i := range len(points) - 1 {
		if gain := 100 * (points[i+1].HitRatio - points[i].HitRatio); gain > 0.2 {
			points[i].BytesPerPoint = (points[i+1].MemoryBytes - points[i].MemoryBytes) / gain
		}
	}
	return points
}

// sum returns the curve of several servers together, with the factors that all of them have.
func sum(curves [][]Point, gets []float64) []Point {
	var whole []Point
	total := 0.0
	for _, n := range gets {
		total += n
	}
	for _, factor := range factors {
		w := Point{Factor: factor, Kind: Counted}
		for i, curve := range curves {
			p := at(curve, factor)
			if p == nil {
				return costs(whole)
			}
			if p.Kind != Counted {
				w.Kind = p.Kind
			}
			w.MemoryBytes += p.MemoryBytes
			w.HitRatio += p.HitRatio * gets[i] / max(1, total)
		}
		whole = append(whole, w)
	}
	return costs(whole)
}

// at returns the point of a curve with a factor; nil if it has none.
func at(curve []Point, factor float64) *Point {
	if i := slices.IndexFunc(curve, func(p Point) bool { return p.Factor == factor }); i >= 0 {
		return &curve[i]
	}
	return nil
}
