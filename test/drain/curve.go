package main

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/example/memcached-operator/test/internal/paired"
)

// The plot of a curve in pixels, and the width of a character of a mark.
const (
	left, top, plotWidth, plotHeight = 68, 100, 716, 240
	character                        = 8
)

// lead is how many seconds before the first action are drawn.
const lead = 10

// high is the hit ratio in percent from which lines are so close that only their difference is visible.
const high = 90

// drawnReads is the number of reads from which a second is drawn. A second with fewer has a random ratio.
const drawnReads = 100

// axis is what the vertical axis shows, with a line at each step.
type axis struct {
	low, high, step float64
	format          string
	value           func(second paired.Second, cache int) float64
}

func (a axis) y(value float64) float64 { return top + plotHeight*(a.high-value)/(a.high-a.low) }

// curve draws the hit ratio of each second of both caches from shortly before the first action on, and a mark where each step begins. Of caches
// with high ratios it draws only the difference from the control. Second 0 is that of the first action.
func curve(title string, seconds []paired.Second, steps []step, names [paired.Caches]string) string {
	if len(seconds) == 0 {
		seconds = []paired.Second{{}}
	}
	first := firstAction(steps, len(seconds))
	from := -min(first, lead)
	seconds = seconds[first+from:]
	x := func(second float64) float64 { return left + plotWidth*(second-float64(from))/float64(len(seconds)) }
	a := axis{0, 100, 25, "%g%%", paired.Second.Ratio}
	counted := seconds[-from:]
	drawn, labels := []int{paired.Changed, paired.Control}, [paired.Caches]string{}
	for _, cache := range drawn {
		labels[cache] = names[cache] + ": " + lowestLabel(counted, cache)
	}
	var b strings.Builder
	if min(lowest(counted, paired.Changed), lowest(counted, paired.Control)) >= high {
		worst := counted[max(0, paired.Worst(counted, drawnReads))].Behind()
		drawn = []int{paired.Changed}
		labels[paired.Changed] = fmt.Sprintf("%s, difference from %s: at most %.2f points behind", names[paired.Changed], names[paired.Control], max(0, worst))
		fmt.Fprintf(&b, `<text class="muted" x="16" y="%d">percentage points</text>`+"\n", top-18)
		a = differenceAxis(seconds)
	}
	drawGrid(&b, a)
	timeAxis(&b, from, from+len(seconds), top+plotHeight+24, x)
	drawMarks(&b, steps, top, top+plotHeight, top+plotHeight-8, func(second float64) float64 { return x(math.Floor(second) - float64(first)) })
	for i, cache := range drawn {
		drawLine(&b, cache, i+1 < len(drawn), seconds, a, func(i int) float64 { return x(float64(from + i + 1)) })
		fmt.Fprintf(&b, `<text class="%s name" x="16" y="%d">%s</text>`+"\n", classes[cache], top-44+22*cache, html.EscapeString(labels[cache]))
	}
	return picture(top+plotHeight+40, title, b.String())
}

// differenceAxis returns an axis that has room for each difference from the control, with at most eight steps.
func differenceAxis(seconds []paired.Second) axis {
	a := axis{step: 0.25, format: "%g", value: func(s paired.Second, cache int) float64 { return s.Ratio(cache) - s.Ratio(paired.Control) }}
	var behind, ahead float64
	for _, each := range seconds {
		behind, ahead = max(behind, each.Behind()), max(ahead, -each.Behind())
	}
	for behind+ahead > 6*a.step {
		a.step *= 2
	}
	a.low, a.high = -a.step*max(1, math.Ceil(behind/a.step)), a.step*math.Ceil(ahead/a.step)
	return a
}

// classes are the colors of the caches.
var classes = [paired.Caches]string{paired.Changed: "a", paired.Control: "b"}

func drawGrid(b *strings.Builder, a axis) {
	for value := a.low; value <= a.high; value += a.step { // exact, because all steps are powers of two or integers
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fh%d"/><text class="muted" x="%d" y="%.1f" text-anchor="end">`+a.format+"</text>\n",
			left, a.y(value), plotWidth, left-8, a.y(value)+6, value)
	}
}

// drawMarks draws a line where each action begins, and where the cache has been ready for 5 s after the last, with its name at a height on the side
// that has room.
func drawMarks(b *strings.Builder, steps []step, from, to, height int, x func(second float64) float64) {
	var marks []step
	for i, each := range steps {
		if i > 0 && each.name != settling {
			marks = append(marks, each)
		}
	}
	position := func(i int) float64 { return x(marks[i].start.Sub(steps[0].start).Seconds()) }
	for i, each := range marks {
		name, at, next := strings.Replace(each.name, steadyAgain, "complete", 1), position(i), float64(pictureWidth)
		if i+1 < len(marks) {
			next = position(i + 1)
		}
		anchor, labelX, labelY := "start", at+5, height
		if labelX+float64(character*len(name)) > next {
			anchor, labelX, labelY = "end", at-5, labelY-20
		}
		fmt.Fprintf(b, `<path class="mark" d="M%.1f %dV%d"/><text font-size="16" x="%.1f" y="%d" text-anchor="%s">%s</text>`+"\n",
			at, from, to, labelX, labelY, anchor, name)
	}
}

// lowestLabel returns what the picture says about the lowest hit ratio of a cache.
func lowestLabel(seconds []paired.Second, cache int) string {
	ratio := lowest(seconds, cache)
	if ratio >= 100 {
		return "stays at 100%"
	}
	return fmt.Sprintf("lowest one-second hit ratio %.1f%%", math.Floor(ratio*10)/10)
}

// lowest returns the lowest hit ratio of a cache, of the seconds with enough reads; 0 without any.
func lowest(seconds []paired.Second, cache int) float64 {
	low := math.Inf(1)
	for _, second := range seconds {
		if second.Reads >= drawnReads {
			low = min(low, second.Ratio(cache))
		}
	}
	if math.IsInf(low, 1) {
		return 0
	}
	return low
}

// drawLine draws the line of a cache, with each second where it ends. The first of two lines is wide.
func drawLine(b *strings.Builder, cache int, wide bool, seconds []paired.Second, a axis, x func(second int) float64) {
	var points []string
	for i, second := range seconds {
		if second.Reads >= drawnReads {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), a.y(a.value(second, cache))))
		}
	}
	width := 2.5
	if wide {
		width = 5 // visible below the other line
	}
	fmt.Fprintf(b, `<polyline class="l%s" points="%s" fill="none" stroke-width="%g"/>`+"\n", classes[cache], strings.Join(points, " "), width)
}
