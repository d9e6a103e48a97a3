package main

import (
	"bytes"
	"fmt"
	"math"
	"time"
)

// The plot area in SVG units. Both axes are logarithmic, so 0 pods are not shown.
const (
	plotWidth, plotHeight = 720, 420
	plotLeft, plotRight   = 70, 560
	plotTop, plotBottom   = 50, 370
)

var (
	plotSizes = []int{3, 100, 1000, 3000}
	minCost   = 10 * time.Microsecond
	maxCost   = time.Second
)

// plot draws CPU time over the number of pods, one line per hook. The colours follow the reader's light or dark scheme.
func plot(results []result) []byte {
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">
<title id="title">CPU time of one sync by number of pods</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  path { fill: none; stroke-width: 2 }
  .c0 { stroke: #0969da; stroke-width: 3.5 } .c1 { stroke: #8250df } .c2 { stroke: #818b98; stroke-dasharray: 5 4 } .c3 { stroke: #1a7f37 } .c4 { stroke: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .grid { stroke: #3d444d }
    .c0 { stroke: #58a6ff } .c1 { stroke: #bc8cff } .c2 { stroke: #9198a1 } .c3 { stroke: #3fb950 } .c4 { stroke: #f0883e }
  }
</style>
<text x="%d" y="24">CPU time of one sync by number of pods, both axes logarithmic</text>
`, plotWidth, plotHeight, plotLeft)
	for cost := minCost; cost <= maxCost; cost *= 10 {
		fmt.Fprintf(&svg, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			plotLeft, costAt(cost), plotRight, plotLeft-8, costAt(cost)+4, cost)
	}
	for _, size := range plotSizes {
		fmt.Fprintf(&svg, `<path class="grid" d="M%.1f %dV%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			podsAt(size), plotTop, plotBottom, podsAt(size), plotBottom+20, thousands(size))
	}
	labels := spread(results)
	for i, r := range results {
		fmt.Fprintf(&svg, `<path class="c%d" d="`, i%5)
		for j, size := range plotSizes {
			fmt.Fprintf(&svg, "%c%.1f %.1f", "ML"[min(j, 1)], podsAt(size), costAt(r.cpu[size]))
		}
		fmt.Fprintf(&svg, `"/><text x="%d" y="%.1f">%s</text>`+"\n", plotRight+10, labels[i]+4, r.peer.name)
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

func podsAt(pods int) float64 {
	low, high := math.Log(float64(plotSizes[0])), math.Log(float64(plotSizes[len(plotSizes)-1]))
	return plotLeft + (math.Log(float64(pods))-low)/(high-low)*(plotRight-plotLeft)
}

func costAt(cost time.Duration) float64 {
	low, high := math.Log(float64(minCost)), math.Log(float64(maxCost))
	at := (math.Log(float64(max(cost, minCost))) - low) / (high - low)
	return plotBottom - at*(plotBottom-plotTop)
}

// spread returns the positions of the hooks' names: at the ends of the lines, but at least 18 units apart.
func spread(results []result) []float64 {
	const apart = 18
	last := plotSizes[len(plotSizes)-1]
	at := make([]float64, len(results))
	for i, r := range results {
		at[i] = costAt(r.cpu[last])
	}
	for range at {
		for i := range at {
			for j := range at {
				if i != j && at[i] <= at[j] && at[j]-at[i] < apart {
					at[j] = at[i] + apart
				}
			}
		}
	}
	return at
}
