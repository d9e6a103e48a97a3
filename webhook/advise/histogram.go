package advise

import "math"

// histogram counts durations in seconds, with bins of 1 s up to 8 s, and then with eight bins for each doubling.
type histogram [maxBins]float64

const (
	linearBins = 8
	perOctave  = 8
	maxBins    = 200 // up to 12 days and 18 hours; longer ones count in the last bin
)

func (h *histogram) add(seconds, weight float64) { h[binOf(seconds)] += weight }

func binOf(seconds float64) int {
	if seconds < linearBins {
		return max(0, int(seconds))
	}
	return min(maxBins-1, linearBins+int(perOctave*math.Log2(seconds/linearBins)))
}

// edge returns the lower end of a bin.
func edge(bin int) float64 {
	if bin <= linearBins {
		return float64(bin)
	}
	// memcached's times are whole seconds, so the ends of the bins are too.
	return math.Ceil(linearBins * math.Exp2(float64(bin-linearBins)/perOctave))
}

func (h *histogram) times(factor float64) histogram {
	scaled := *h
	for i := range scaled {
		scaled[i] *= factor
	}
	return scaled
}

// from returns the count of the bins from a duration on.
func (h *histogram) from(seconds float64) (sum float64) {
	for _, count := range h[binOf(seconds):] {
		sum += count
	}
	return sum
}

func (h *histogram) merge(other *histogram) {
	for i, count := range other {
		h[i] += count
	}
}

// end returns the duration up to which the counts are about even, and above which there are none. It is exact also within a bin.
func (h *histogram) end() float64 {
	total := h.from(0)
	last, younger := 0, 0.0
	for younger+h[last] < 0.9*total {
		younger += h[last]
		last++
	}
	// A fifth of the duration before has enough counts to say how many there are per second.
	first := binOf(0.8 * edge(last))
	seconds, count := edge(last)-edge(first), 0.0
	for _, n := range h[first:last] {
		count += n
	}
	if count == 0 {
		return edge(last + 1)
	}
	return edge(last) + (total-younger)*seconds/count
}
