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
