package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/example/memcached-operator/test/internal/paired"
)

// The size of a curve and of its plot in pixels.
const (
	curveWidth, curveHeight = 800, 300
	left, top, plotWidth    = 60, 40, 700
	plotHeight              = 200
)

// curve draws the hit ratio of each second of both caches as an SVG, and the names of the steps where they begin.
func curve(seconds []paired.Second, steps []step, names [paired.Caches]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="#24292f">
<title>hit ratio of %s and of %s</title>
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, curveWidth, curveHeight, names[paired.Changed], names[paired.Control])
	x := func(second float64) float64 { return left + plotWidth*second/float64(max(len(seconds)-1, 1)) }
	y := func(percent float64) float64 { return top + plotHeight*(1-percent/100) }
	for percent := 0; percent <= 100; percent += 25 {
		at := y(float64(percent))
		fmt.Fprintf(&b, `<path d="M%d %.1fh%d" stroke="#d0d7de"/><text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n", left, at, plotWidth, left-8, at+4, percent)
	}
	for _, each := range steps {
		at := x(each.start.Sub(steps[0].start).Seconds())
		fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="#8c959f" stroke-dasharray="3"/><text x="%.1f" y="%d">%s</text>`+"\n", at, top, plotHeight+8, at+3, top+plotHeight+20, each.name)
	}
	colors := [paired.Caches]string{paired.Changed: "#1a7f37", paired.Control: "#cf222e"}
	for cache, name := range names {
		var points strings.Builder
		for i, second := range seconds {
			if second.Reads > 0 {
				fmt.Fprintf(&points, "%.1f,%.1f ", x(float64(i)), y(second.Ratio(cache)))
			}
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.TrimSpace(points.String()), colors[cache])
		fmt.Fprintf(&b, `<text x="%d" y="22" fill="%s" font-weight="bold">%s</text>`+"\n", left+cache*plotWidth/2, colors[cache], name)
	}
	length := (time.Duration(len(seconds)) * time.Second).String()
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n</svg>\n", left+plotWidth, top+plotHeight+40, "hit ratio of each second, "+length)
	return b.String()
}
