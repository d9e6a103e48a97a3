package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const tableHead = `| hook | 3 pods | 100 pods | 1,000 pods | 3,000 pods | idle | five of 1,000, concurrent |
|---|---:|---:|---:|---:|---:|---:|
`

// writeTable prints a Markdown table: the values of the first hook, and the factors of the others.
func writeTable(w io.Writer, hooks []*hook) {
	fmt.Fprint(w, tableHead)
	units := []string{"ms", "ms", "ms", "ms", "MiB", "MiB"}
	first := slices.Concat(hooks[0].cpu, hooks[0].memory)
	for i, h := range hooks {
		fmt.Fprintf(w, "| %s |", h.name)
		for j, figure := range slices.Concat(h.cpu, h.memory) {
			if i == 0 {
				fmt.Fprintf(w, " %.3g %s |", figure, units[j])
			} else {
				fmt.Fprintf(w, " %.2gx |", figure/first[j])
			}
		}
		fmt.Fprintln(w)
	}
}

// The colours follow the reader's light or dark scheme.
const plotHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" role="img" aria-labelledby="title">
<title id="title">CPU time of one sync by number of pods</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  path { fill: none; stroke-width: 2 }
  .c0 { stroke: #0969da; stroke-width: 3.5 } .c1 { stroke: #8250df } .c2 { stroke: #1a7f37 } .c3 { stroke: #bc4c00 } .c4 { stroke: #818b98; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .grid { stroke: #3d444d }
    .c0 { stroke: #58a6ff } .c1 { stroke: #bc8cff } .c2 { stroke: #3fb950 } .c3 { stroke: #f0883e } .c4 { stroke: #9198a1 }
  }
</style>
<text x="70" y="24">CPU time of one sync by number of pods, both axes logarithmic</text>
`

// plot draws CPU time over the number of pods, one line per hook.
func plot(hooks []*hook) []byte {
	svg := bytes.NewBufferString(plotHead)
	for exponent, name := range []string{"10µs", "100µs", "1ms", "10ms", "100ms", "1s"} {
		y := 370 - 64*exponent
		fmt.Fprintf(svg, `<path class="grid" d="M70 %dH560"/><text x="62" y="%d" text-anchor="end">%s</text>`+"\n", y, y+4, name)
	}
	for _, pods := range sizes {
		fmt.Fprintf(svg, `<path class="grid" d="M%.1f 50V370"/><text x="%.1[1]f" y="390" text-anchor="middle">%[2]d</text>`+"\n", xOf(pods), pods)
	}
	// The names are at the ends of the lines, but at least 18 units apart, from the top.
	last, label := len(sizes)-1, 0.0
	for _, h := range slices.SortedStableFunc(slices.Values(hooks), func(a, b *hook) int { return cmp.Compare(b.cpu[last], a.cpu[last]) }) {
		label = max(label+18, yOf(h.cpu[last])+4)
		var points []string
		for i, pods := range sizes {
			points = append(points, fmt.Sprintf("%.1f %.1f", xOf(pods), yOf(h.cpu[i])))
		}
		fmt.Fprintf(svg, `<path class="c%d" d="M%s"/><text x="570" y="%.1f">%s</text>`+"\n",
			slices.Index(hooks, h), strings.Join(points, "L"), label, h.name)
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// xOf returns the position of a number of pods, from 3 to 3,000.
func xOf(pods int) float64 { return 70 + 490*math.Log(float64(pods)/3)/math.Log(1000) }

// yOf returns the position of a CPU time in milliseconds, from 10 µs.
func yOf(cost float64) float64 { return 370 - 64*math.Log10(max(cost, 0.01)/0.01) }
