package advise

import (
	"fmt"
	"io"
	"math"
	"strings"
)

const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img" aria-labelledby="title">
<title id="title">Hit ratio by memory</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 } .grid { stroke: #d1d9e0; stroke-width: 1 }
  path { fill: none; stroke: #0969da; stroke-width: 3 } .extrapolated { stroke-dasharray: 5 4 } circle { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .grid { stroke: #3d444d } path { stroke: #58a6ff } circle { fill: #58a6ff }
  }
</style>
<text x="60" y="24">Hit ratio by memory, on a logarithmic axis: predicted, measured (dot) and extrapolated (dashed)</text>
`

// WriteSVG draws the curve of a report.
func (r Report) WriteSVG(w io.Writer) error {
	curve := r.Whole.Curve
	if curve == nil {
		return fmt.Errorf("the hit ratio of other sizes cannot be predicted: %s", r.Whole.NoCurve)
	}
	low := math.Floor(10*curve[0].HitRatio) / 10
	high := max(low+0.1, math.Ceil(10*curve[len(curve)-1].HitRatio)/10)
	position := func(i int) string {
		return fmt.Sprintf("%.1f %.1f", 60+float64(i)*540/float64(len(curve)-1), 310-260*(curve[i].HitRatio-low)/(high-low))
	}
	var b strings.Builder
	b.WriteString(svgHead)
	for ratio := low; ratio < high+0.01; ratio += 0.1 {
		y := 310 - 260*(ratio-low)/(high-low)
		fmt.Fprintf(&b, `<path class="grid" d="M60 %.1fH600"/><text x="52" y="%.1f" text-anchor="end">%.0f%%</text>`+"\n", y, y+4, 100*ratio)
	}
	for i := 0; i < len(curve); i += pointsPerDoubling {
		x := 60 + float64(i)*540/float64(len(curve)-1)
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f 50V310"/><text x="%.1[1]f" y="332" text-anchor="middle">%[2]s</text>`+"\n", x, bytes(curve[i].MemoryBytes))
	}
	middle := len(curve) / 2
	for _, part := range []struct {
		class    string
		from, to int
	}{{"predicted", 0, middle}, {"extrapolated", middle, len(curve) - 1}} {
		var points []string
		for i := part.from; i <= part.to; i++ {
			points = append(points, position(i))
		}
		fmt.Fprintf(&b, `<path class="%s" d="M%s"/>`+"\n", part.class, strings.Join(points, "L"))
	}
	x, y, _ := strings.Cut(position(middle), " ")
	fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="5"/>`+"\n</svg>\n", x, y)
	_, err := io.WriteString(w, b.String())
	return err
}
