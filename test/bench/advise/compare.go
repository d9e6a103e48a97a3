package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/advise"
)

// compare prints a Markdown table of the hit ratios that servers predict for others, and those that these have.
func compare(w io.Writer, files []string) error {
	fmt.Fprintln(w, "| gets | now | half: predicted | measured | error | twice: predicted | measured | error |\n|---|---:|---:|---:|---:|---:|---:|---:|")
	var sum, worst, count [2]float64
	for _, file := range files {
		r, err := readRecording(file)
		if err != nil {
			return err
		}
		whole := advise.Of(r.Samples[middle:middle+1], nil).Whole
		fmt.Fprintf(w, "| %s | %.1f %% |", r.Description, 100*whole.HitRatio)
		for i, factor := range []float64{0.5, 2} {
			predicted, measured := 100*at(whole.Curve, factor), 100*hitRatio(r.Samples[2*i])
			if math.IsNaN(predicted) {
				fmt.Fprintf(w, " unknown | %.1f %% | |", measured)
				continue
			}
			differ := predicted - measured
			sum[i], worst[i], count[i] = sum[i]+math.Abs(differ), max(worst[i], math.Abs(differ)), count[i]+1
			fmt.Fprintf(w, " %.1f %% | %.1f %% | %+.1f |", predicted, measured, differ)
		}
		fmt.Fprintln(w, strings.TrimSuffix(" "+whole.NoCurve, " "))
	}
	_, err := fmt.Fprintf(w, "| **average (worst)** | | | | %.1f (%.1f) | | | %.1f (%.1f) |\n", sum[0]/max(count[0], 1), worst[0], sum[1]/max(count[1], 1), worst[1])
	return err
}

// at returns the hit ratio of a curve for a factor of the memory; NaN if it is unknown.
func at(curve []advise.Point, factor float64) float64 {
	if i := slices.IndexFunc(curve, func(p advise.Point) bool { return p.Factor == factor }); i >= 0 {
		return curve[i].HitRatio
	}
	return math.NaN()
}

// hitRatio returns that of the interval.
func hitRatio(s *advise.Sample) float64 {
	change := func(name string) float64 {
		before, _ := strconv.ParseFloat(s.Before.General[name], 64)
		after, _ := strconv.ParseFloat(s.After.General[name], 64)
		return after - before
	}
	return change("get_hits") / change("cmd_get")
}
