package main

import (
	"fmt"
	"strings"

	"github.com/example/memcached-operator/test/internal/paired"
)

// The size of a curve and of its plot in pixels, and the width of a character.
const (
	curveWidth, curveHeight = 800, 300
	left, top, plotWidth    = 56, 56, 724
	plotHeight, character   = 180, 7
)

// curve draws the hit ratio of each second of both caches as an SVG on white, and the names of the steps where they begin.
func curve(seconds []paired.Second, steps []step, names [paired.Caches]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="#24292f">
<title>hit ratio of each second: %s, and %s</title>
<rect width="100%%" height="100%%" rx="6" fill="#ffffff"/>
<text x="%d" y="22">hit ratio</text>
`, curveWidth, curveHeight, names[paired.Changed], names[paired.Control], left)
	x := func(second float64) float64 { return left + plotWidth*second/float64(max(len(seconds)-1, 1)) }
	y := func(percent float64) float64 { return top + plotHeight*(1-percent/100) }
	for percent := 0; percent <= 100; percent += 25 {
		fmt.Fprintf(&b, `<path d="M%d %.1fh%d" stroke="#d0d7de"/><text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n",
			left, y(float64(percent)), plotWidth, left-8, y(float64(percent))+4, percent)
	}
	every := 30 * (1 + len(seconds)/300)
	for second := 0; second < len(seconds); second += every {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d s</text>`+"\n", x(float64(second)), top+plotHeight+18, second)
	}
	var free [2]float64 // where the two rows of names are free
	for _, each := range steps {
		at := x(each.start.Sub(steps[0].start).Seconds())
		width := float64(character * len(each.name))
		from, row := min(at+3, left+plotWidth-width), 0
		if from < free[0] {
			row = 1
		}
		free[row] = from + width + character
		fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="#6e7781" stroke-dasharray="3"/><text x="%.1f" y="%d">%s</text>`+"\n",
			at, top, plotHeight, from, top+plotHeight+36+16*row, each.name)
	}
	drawRatios(&b, seconds, names, x, y)
	return b.String() + "</svg>\n"
}

// drawRatios draws the lines of both caches, the control first, and their names above.
func drawRatios(b *strings.Builder, seconds []paired.Second, names [paired.Caches]string, x, y func(float64) float64) {
	colors := [paired.Caches]string{paired.Changed: "#1a7f37", paired.Control: "#cf222e"}
	for _, cache := range []int{paired.Control, paired.Changed} {
		var points strings.Builder
		for i, second := range seconds {
			if second.Reads > 0 {
				fmt.Fprintf(&points, "%.1f,%.1f ", x(float64(i)), y(second.Ratio(cache)))
			}
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.TrimSpace(points.String()), colors[cache])
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" fill="%s" font-weight="bold">%s</text>`+"\n",
			left+plotWidth, 22+20*cache, colors[cache], names[cache])
	}
}
