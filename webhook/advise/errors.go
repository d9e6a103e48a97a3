package advise

import (
	"cmp"
	"math"
	"slices"
)

// Errors are what was measured for recorded loads, in percentage points.
type Errors struct {
	// Loads is the number of recorded loads that are similar, and Recorded that of all.
	Loads    int    `json:"loads"`
	Recorded int    `json:"recorded"`
	Half     Error  `json:"half"`
	Twice    *Error `json:"twice,omitempty"`
}

// Error is the difference between predicted and measured hit ratios.
type Error struct {
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
}

// load is a recorded load: its hit ratio, the one that was predicted for half of the memory, and the errors against real servers,
// all in percentage points. A twiceError of NaN is unknown.
type load struct {
	name                  string
	hit, half             float64
	halfError, twiceError float64
}

// similarLoads is the number of loads that an error is from.
const similarLoads = 5

// errorsOf returns the errors of the recorded loads whose hit ratios are nearest to those of a curve.
func errorsOf(curve []Point) *Errors {
	hit, half := 100*at(curve, 1).HitRatio, 100*at(curve, 0.5).HitRatio
	distance := func(l load) float64 { return math.Abs(l.hit-hit) + math.Abs(l.half-half) }
	near := slices.SortedFunc(slices.Values(loads), func(a, b load) int { return cmp.Compare(distance(a), distance(b)) })
	near = near[:min(similarLoads, len(near))]
	e := &Errors{Loads: len(near), Recorded: len(loads)}
	twice, known := Error{}, 0.0
	for _, l := range near {
		e.Half.Mean += math.Abs(l.halfError) / float64(len(near))
		e.Half.Worst = max(e.Half.Worst, math.Abs(l.halfError))
		if !math.IsNaN(l.twiceError) {
			known++
			twice.Mean += math.Abs(l.twiceError)
			twice.Worst = max(twice.Worst, math.Abs(l.twiceError))
		}
	}
	if twice.Mean /= max(1, known); known > 0 && at(curve, 2) != nil {
		e.Twice = &twice
	}
	return e
}
