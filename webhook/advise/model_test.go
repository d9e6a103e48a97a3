package advise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSegmented compares the lifetime of items with a simulation of one key.
func TestSegmented(t *testing.T) {
	const age = 100.0
	random := rand.New(rand.NewPCG(1, 2))
	for _, rate := range []float64{0.001, 0.005, 0.01, 0.015} {
		var want lifetime
		const items = 20_000
		for range items {
			l := simulate(random, rate, age)
			want.hot, want.warm, want.cold = want.hot+l.hot/items, want.warm+l.warm/items, want.cold+l.cold/items
		}
		got := keys{rate: rate}.segmented(age)
		for _, in := range []func(lifetime) float64{lifetime.inHot, lifetime.inWarm, lifetime.inCold} {
			if difference := math.Abs(in(got) - in(want)); difference > 0.06*want.requested() {
				t.Errorf("%.3f gets per second: got %+v, want %+v", rate, got, want)
			}
		}
	}
}

// simulate follows an item through the segments, with the rules of memcached's items.c.
func simulate(random *rand.Rand, rate, age float64) (l lifetime) {
	next := func() float64 { return random.ExpFloat64() / rate }
	get, gets := next(), 0
	l.hot = hotPart * age
	for ; get < l.hot; get += next() {
		gets++
	}
	now, warm := l.hot, gets > 1
	for {
		if warm { // until no get comes during a pass
			end := now + warmPart*age
			active := get < end
			for ; get < end; get += next() {
				gets++
			}
			l.warm += warmPart * age
			now, warm = end, active
			continue
		}
		end := now + (1-hotPart)*age
		for ; get < end && !warm; get += next() {
			gets++
			warm = gets > 1
			l.cold += get - now
			now = get
		}
		if !warm {
			l.cold += end - now
			return l
		}
	}
}

// TestFit checks that a fit finds the demand behind what was observed, and predicts other sizes.
func TestFit(t *testing.T) {
	const age = 300.0
	for reason, ttl := range map[string]float64{"no TTL": math.Inf(1), "a TTL below the age": 150, "a TTL above the age": 500} {
		for _, segments := range []bool{true, false} {
			if !segments && !math.IsInf(ttl, 1) {
				continue // an LRU without segments does not show when an item was stored
			}
			truth := demand{observation: observation{age: age, segments: segments, groups: []group{{ttl: ttl}}}}
			for i := range 60 { // keys by Zipf's law: as many gets for each order of magnitude of rates
				truth.parts = append(truth.parts, part{keys{0.1 * math.Pow(0.87, float64(i)), ttl, math.Inf(1)}, 0, 5})
			}
			observed := observe(truth)
			fitted := fit(observed)
			if fitted.misfit > 0.02 {
				t.Errorf("%s, segments %t: the misfit is %.3f", reason, segments, fitted.misfit)
			}
			_, now := truth.at(age)
			_, guess := fitted.at(age)
			for _, factor := range []float64{0.5, 0.7, 1.5} {
				_, want := truth.resized(factor)
				_, got := fitted.resized(factor)
				if math.Abs((got-guess)-(want-now)) > 0.01*300 {
					t.Errorf("%s, segments %t: %.1f of the memory changes the misses by %.1f of 300 gets per second, want %.1f", reason, segments, factor, got-guess, want-now)
				}
			}
		}
	}
}

// observe returns what a demand leads to.
func observe(d demand) observation {
	o := d.observation
	for _, p := range d.parts {
		l := p.lifetime(o.age, o.segments)
		stores := p.gets * p.stores(l)
		o.items.hot, o.items.warm, o.items.cold = o.items.hot+stores*l.hot, o.items.warm+stores*l.warm, o.items.cold+stores*l.cold
		rows := p.gets
		if o.segments {
			rows = stores
		}
		for bin := range o.groups[0].ages {
			if to := edge(bin + 1); to <= min(p.ttl, o.age) {
				o.groups[0].ages[bin] += rows * p.unread(edge(bin), to)
			}
		}
		o.hits.hot, o.hits.warm, o.hits.cold = o.hits.hot+p.rate*stores*l.hot, o.hits.warm+p.rate*stores*l.warm, o.hits.cold+p.rate*stores*l.cold
	}
	return o
}

// TestHistogram checks that a bin has the durations between its edges.
func TestHistogram(t *testing.T) {
	for seconds := range 20_000 {
		if bin := binOf(float64(seconds)); float64(seconds) < edge(bin) || float64(seconds) >= edge(bin+1) {
			t.Fatalf("%d s is in the bin from %v to %v", seconds, edge(bin), edge(bin+1))
		}
	}
	for _, end := range []float64{200, 1000, 5000, 5300} {
		var even histogram
		for age := range int(end) {
			even.add(float64(age), 10)
		}
		if got := even.end(); math.Abs(got-end) > 0.01*end {
			t.Errorf("ages up to %v end at %v", end, got)
		}
	}
	var h histogram
	h.add(1e9, 2)
	h.add(10, 3)
	if h.from(3600) != 2 || h.from(0) != 5 {
		t.Errorf("got %v from an hour and %v from 0, want 2 and 5", h.from(3600), h.from(0))
	}
}
