package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The sizes of the picture in pixels. Its text is legible at half of its width.
const (
	width, panelHeight, caption = 800, 212, 54
	left, plotWidth, plotHeight = 96, 688, 100
	character, legendRows       = 9, 1
)

// colors are those of lines on a light and on a dark page.
var colors = [][2]string{
	{"#0969da", "#4493f8"}, {"#bc4c00", "#f0883e"}, {"#1a7f37", "#3fb950"}, {"#8250df", "#ab7df8"}, {"#bf3989", "#db61a2"}, {"#7d5600", "#d29922"},
}

// style returns the style of the picture.
func style() string {
	var light, dark strings.Builder
	for i, color := range colors {
		rule := fmt.Sprintf("text.c%d{fill:%%[1]s} polyline.c%[1]d{stroke:%%[1]s}\n", i)
		fmt.Fprintf(&light, rule, color[0])
		fmt.Fprintf(&dark, rule, color[1])
	}
	return `<style>
.bg{fill:#fff} text{fill:#1f2328} .muted{fill:#59636e} .grid{stroke:#d1d9e0} .mark{stroke:#59636e;stroke-dasharray:4}
polyline{fill:none;stroke-width:2.5}
` + light.String() + `@media (prefers-color-scheme:dark){
.bg{fill:#0d1117} text{fill:#e6edf3} .muted{fill:#9198a1} .grid{stroke:#3d444d} .mark{stroke:#9198a1}
` + dark.String() + `}
</style>`
}

// draw returns the graphs as SVG, with a line and a number where each phase of a move begins, below a caption that names the phases.
func draw(graphs []graph, marks []mark, duration time.Duration) []byte {
	var b bytes.Buffer
	var names []string
	for _, mark := range marks {
		if name := fmt.Sprint(mark.number, " ", mark.phase); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="16">
<title>Panels of the dashboard</title>
%s
<rect width="100%%" height="100%%" rx="6" class="bg"/>
<text class="muted" x="16" y="26">Phase starts: %s.</text>
<text class="muted" x="16" y="48">Ratios and rates are averages of the last %.0f s.</text>
`, width, caption+len(graphs)*panelHeight+8, style(), strings.Join(names, ", "), window.Seconds())
	for i, each := range graphs {
		fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", caption+i*panelHeight)
		each.draw(&b, marks, duration)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (g graph) draw(b *bytes.Buffer, marks []mark, duration time.Duration) {
	const top = 48 + 22*legendRows
	defaults := g.panel.FieldConfig.Defaults
	highest := g.highest()
	x := func(at time.Duration) float64 { return left + plotWidth*float64(at)/float64(duration) }
	y := func(value float64) float64 { return top + plotHeight*(1-value/highest) }
	fmt.Fprintf(b, `<text x="16" y="26" font-size="18" font-weight="bold">%s</text>`+"\n", g.panel.Title)
	for _, share := range []float64{0, 0.5, 1} {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fh%d"/><text class="muted" x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, y(share*highest), plotWidth, left-8, y(share*highest)+6, format(share*highest, defaults.Unit))
	}
	for part := range time.Duration(7) {
		at := duration * part / 6
		fmt.Fprintf(b, `<text class="muted" x="%.1f" y="%d" text-anchor="middle">%.0f s</text>`+"\n", min(x(at), width-32), top+plotHeight+24, at.Seconds())
	}
	for _, mark := range marks {
		fmt.Fprintf(b, `<path class="mark" d="M%.1f %dv%d"/><text class="muted" x="%.1f" y="%d" font-size="14" text-anchor="middle">%d</text>`+"\n",
			x(mark.at), top, plotHeight, x(mark.at), top-4, mark.number)
	}
	at, row := 16, 0
	prefix := g.prefix()
	for i, line := range g.lines {
		line.name = line.name[prefix:]
		if at+character*len(line.name) > width && at > 16 {
			at, row = 16, row+1
		}
		class := fmt.Sprintf("c%d", i%len(colors))
		if row < legendRows {
			fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, at, 50+22*row, line.name)
		}
		at += character * (len(line.name) + 3)
		for _, points := range line.points(duration, x, y) {
			fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, points)
		}
	}
}

// prefix returns the length of what all names begin with, up to a slash or a blank.
func (g graph) prefix() int {
	first := g.lines[0].name
	for at := len(first) - 1; at > 0; at-- {
		same := !slices.ContainsFunc(g.lines, func(l line) bool { return !strings.HasPrefix(l.name, first[:at]) })
		if same && strings.ContainsAny(first[at-1:at], "/ ") {
			return at
		}
	}
	return 0
}

// highest returns the value at the top: the maximum of the panel if the lines come near it, or that of its lines, rounded up to an even digit and
// zeros.
func (g graph) highest() float64 {
	highest := 0.0
	for _, line := range g.lines {
		for _, value := range line.values {
			if value > highest { // NaN is not
				highest = value
			}
		}
	}
	if highest == 0 {
		return 1
	}
	if defined := g.panel.FieldConfig.Defaults.Max; defined != nil && highest > *defined/2 {
		return *defined
	}
	two := 2 * math.Pow(10, math.Floor(math.Log10(highest)))
	return math.Ceil(highest/two) * two
}

// points returns the parts of a line between steps without a sample.
func (l line) points(duration time.Duration, x func(time.Duration) float64, y func(float64) float64) (parts []string) {
	var part []string
	for i, value := range append(slices.Clone(l.values), math.NaN()) {
		if !math.IsNaN(value) {
			part = append(part, fmt.Sprintf("%.1f,%.1f", x(time.Duration(i)*duration/time.Duration(max(len(l.values)-1, 1))), y(value)))
			continue
		}
		if len(part) > 0 {
			parts = append(parts, strings.Join(part, " "))
		}
		part = nil
	}
	return parts
}

// format returns a value in a unit of Grafana.
func format(value float64, unit string) string {
	if unit == "percentunit" {
		return fmt.Sprintf("%.0f%%", value*100)
	}
	if unit == "ops" {
		return fmt.Sprintf("%.0f/s", value)
	}
	return fmt.Sprintf("%.3g", value)
}
