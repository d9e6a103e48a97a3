package main

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/example/memcached-operator/test/internal/paired"
)

// The plot of a curve in pixels, and the width of a character.
const (
	left, top, plotWidth, plotHeight = 68, 100, 716, 240
	character, boldCharacter         = 9, 11
)

// high is the hit ratio in percent from which the label of a line is above the plot.
const high = 85

// drawnReads is the number of reads from which a second is drawn. A second with fewer has a random ratio.
const drawnReads = 100

// curve draws the hit ratio of each second of both caches from the first action on, and the steps where they begin.
func curve(title string, seconds []paired.Second, steps []step, names [paired.Caches]string) string {
	if len(seconds) == 0 {
		seconds = []paired.Second{{}}
	}
	from := firstAction(steps, len(seconds))
	seconds = seconds[from:]
	var b strings.Builder
	x := func(second float64) float64 { return left + plotWidth*second/float64(len(seconds)) }
	floor := axisFloor(seconds)
	y := func(percent float64) float64 { return top + plotHeight*(100-percent)/(100-floor) }
	drawGrid(&b, floor, y)
	timeAxis(&b, len(seconds), top+plotHeight+24, x)
	drawSteps(&b, steps, func(second float64) float64 { return x(second - float64(from)) })
	var at [paired.Caches]int
	var labels [paired.Caches]string
	bothHigh := true
	for cache, name := range names {
		at[cache] = lowest(seconds, cache)
		ratio := seconds[at[cache]].Ratio(cache)
		bothHigh = bothHigh && ratio >= high
		labels[cache] = fmt.Sprintf("%s: lowest second %.1f%%", html.EscapeString(name), math.Floor(ratio*10)/10)
	}
	if bothHigh {
		worst := seconds[max(0, paired.Worst(seconds, drawnReads))]
		labels[paired.Changed] += fmt.Sprintf(", at most %.2f points lower", max(0, worst.Behind()))
	}
	for _, cache := range []int{paired.Control, paired.Changed} {
		drawRatio(&b, cache, seconds, at[cache], labels[cache], x, y)
	}
	return picture(top+plotHeight+40, title, b.String())
}

// axisFloor returns where the axis of the hit ratio starts: at 90% if both caches stay above, so that their difference is visible.
func axisFloor(seconds []paired.Second) float64 {
	const floor = 90
	for cache := range paired.Caches {
		if seconds[lowest(seconds, cache)].Ratio(cache) < floor {
			return 0
		}
	}
	return floor
}

func drawGrid(b *strings.Builder, floor float64, y func(percent float64) float64) {
	for percent := floor; percent <= 100; percent += max(5, (100-floor)/4) {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fh%d"/><text class="muted" x="%d" y="%.1f" text-anchor="end">%g%%</text>`+"\n",
			left, y(percent), plotWidth, left-8, y(percent)+6, percent)
	}
}

// drawSteps draws a line where each action begins, with its name if there is room.
func drawSteps(b *strings.Builder, steps []step, x func(second float64) float64) {
	var free [2]float64 // where two rows of names have room
	var labels strings.Builder
	defer func() { b.WriteString(labels.String()) }() // above all lines
	for _, each := range steps {
		if each.name == settling || strings.HasPrefix(each.name, "steady") {
			continue
		}
		at := x(math.Floor(each.start.Sub(steps[0].start).Seconds())) // the second in which the action begins
		fmt.Fprintf(b, `<path class="mark" d="M%.1f %dv%d"/>`+"\n", at, top, plotHeight)
		for row := range free {
			if at >= free[row] {
				fmt.Fprintf(&labels, `<text class="halo" x="%.1f" y="%d">%s</text>`+"\n", at+5, top+plotHeight-8-22*row, each.name)
				free[row] = at + float64(character*(len(each.name)+1))
				break
			}
		}
	}
}

// lowest returns the index of the second with the lowest hit ratio of a cache, of those that are drawn.
func lowest(seconds []paired.Second, cache int) (lowest int) {
	low := math.Inf(1)
	for i, second := range seconds {
		if second.Reads >= drawnReads && second.Ratio(cache) < low {
			lowest, low = i, second.Ratio(cache)
		}
	}
	return lowest
}

// drawRatio draws the line of a cache, with each second where it ends, and its label: below its lowest second if that is far down, otherwise
// above the plot.
func drawRatio(b *strings.Builder, cache int, seconds []paired.Second, low int, label string, x, y func(float64) float64) {
	class, width := "a", 2.5
	if cache == paired.Control {
		class, width = "b", 6 // visible below the other line
	}
	var points strings.Builder
	for i, second := range seconds {
		if second.Reads >= drawnReads {
			fmt.Fprintf(&points, "%.1f,%.1f ", x(float64(i+1)), y(second.Ratio(cache)))
		}
	}
	fmt.Fprintf(b, `<polyline class="l%s" points="%s" fill="none" stroke-width="%g"/>`+"\n", class, strings.TrimSpace(points.String()), width)
	labelX, labelY := float64(left), float64(top-34+24*cache)
	if ratio := seconds[low].Ratio(cache); ratio < high {
		labelX, labelY = min(x(float64(low+1)), float64(left+plotWidth-boldCharacter*len(label))), min(y(ratio)+24, top+plotHeight-54)
	}
	fmt.Fprintf(b, `<text class="%s name halo" x="%.1f" y="%.1f">%s</text>`+"\n", class, max(labelX, left), labelY, label)
}
