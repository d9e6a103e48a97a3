package advise

import "math"

// The default LRU of memcached has three segments: https://github.com/memcached/memcached/blob/master/doc/new_lru.txt. An item
// begins in HOT. If it was fetched twice, it moves on to WARM, or else to COLD, which evicts. WARM keeps the items that are
// fetched again. A get moves an item from COLD to WARM, unless it is the first get. memcached moves items by their age in
// relation to the age of the oldest item in COLD. So one duration describes a cache of any size: the age at which it evicts
// items that no client gets.
const (
	hotPart  = 0.2 // hot_max_factor
	warmPart = 2.0 // warm_max_factor
)

// lifetime is the mean time for which an item stays in each segment, and for which it stays after the last get of its key.
type lifetime struct{ hot, warm, cold, dead float64 }

// requested returns the time for which clients request the item. Without segments, all of it is in COLD.
func (l lifetime) requested() float64 { return l.hot + l.warm + l.cold }
func (l lifetime) inHot() float64     { return l.hot }
func (l lifetime) inWarm() float64    { return l.warm }
func (l lifetime) inCold() float64    { return l.cold }

// keys are keys with about the same use.
type keys struct {
	// rate is the gets per second for each key. They come at random.
	rate float64
	// ttl is the time after which an item expires, and span the mean time for which clients request a key. Both may be infinite.
	ttl, span float64
}

// maxWait limits exponents: an item that is fetched so often stays for good.
const maxWait = 50.0

// segmented returns the lifetime of the items of keys without a TTL and an end, in a cache that evicts at an age.
func (k keys) segmented(age float64) lifetime {
	hot, warm, cold := hotPart*age, warmPart*age, (1-hotPart)*age
	rate := min(k.rate, maxWait/(warm+cold))
	// none is the probability that no get comes in COLD.
	none := math.Exp(-rate * cold)
	wait := (1 - none) / rate
	fromWarm := lifetime{warm: warm * math.Exp(rate*warm) / none, cold: wait / none}
	fetched := lifetime{warm: (1 - none) * fromWarm.warm, cold: wait + (1-none)*fromWarm.cold}
	// An item that no client got in HOT needs two gets in COLD.
	twice := 1 - none*(1+rate*cold)
	unfetched := lifetime{warm: twice * fromWarm.warm, cold: wait + twice/rate + twice*fromWarm.cold}
	zero := math.Exp(-rate * hot)
	one := rate * hot * zero
	return lifetime{
		hot:  hot,
		warm: zero*unfetched.warm + one*fetched.warm + (1-zero-one)*fromWarm.warm,
		cold: zero*unfetched.cold + one*fetched.cold + (1-zero-one)*fromWarm.cold,
	}
}

// flat returns the lifetime in an LRU without segments.
func (k keys) flat(age float64) lifetime {
	return lifetime{cold: math.Expm1(min(k.rate*age, maxWait)) / k.rate}
}

// lifetime returns the lifetime of the items of keys in a cache that evicts at an age.
func (k keys) lifetime(age float64, segments bool) lifetime {
	l := k.flat(age)
	if segments {
		l = k.segmented(age)
	}
	full := l.requested()
	if math.IsInf(k.ttl, 1) && math.IsInf(k.span, 1) {
		return l
	}
	// Until the age, no item is evicted. Then items are evicted at random.
	total := min(full, k.ttl)
	if total > age {
		total = age - (full-age)*math.Expm1((age-k.ttl)/(full-age))
	}
	requested, hot, dead := total, min(l.hot, total), 0.0
	if !math.IsInf(k.span, 1) {
		requested = total * k.span / (total + k.span)
		hot = min(l.hot*k.span/(l.hot+k.span), requested)
		stay := age
		if full > warmPart*age { // the item is mostly in WARM
			stay += warmPart * age
		}
		dead = total / (total + k.span) * max(0, min(stay, k.ttl-requested))
	}
	if !segments {
		return lifetime{cold: requested, dead: dead}
	}
	// Until the age, the item is in COLD until its second get, and then in WARM.
	early := max(0, min(requested, age)-hot)
	none := math.Exp(-k.rate * early)
	wait := (1 - none) / k.rate
	zero := math.Exp(-k.rate * hot)
	cold := zero*(2*wait-early*none) + k.rate*hot*zero*wait
	later := (requested - hot - early) / (l.warm + l.cold)
	return lifetime{hot, early - cold + l.warm*later, cold + l.cold*later, dead}
}

// stores returns the part of the gets that miss and store an item: one for each lifetime.
func (k keys) stores(l lifetime) float64 { return 1 / (1 + k.rate*l.requested()) }

// unread returns the seconds between two ages in which an item has not been fetched.
func (k keys) unread(from, to float64) float64 {
	ends, never := k.rate, 0.0
	if !math.IsInf(k.span, 1) {
		ends += 1 / k.span
		never = 1 / (1 + k.rate*k.span)
	}
	return never*(to-from) + (1-never)*(math.Exp(-ends*from)-math.Exp(-ends*to))/ends
}
