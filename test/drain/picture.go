package main

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"os"
	"strings"

	"github.com/example/memcached-operator/test/internal/paired"
)

// pictureWidth is in pixels. Text is legible at half of it.
const pictureWidth = 800

// style has the colors on a light and on a dark page: a is the cache or its new servers, b the control, and c to e other pods.
const style = `<style>
.bg{fill:#fff} text{fill:#1f2328} .muted{fill:#59636e} .grid{stroke:#d1d9e0} .mark{stroke:#59636e;stroke-dasharray:4}
.a{fill:#0969da} .b{fill:#bc4c00} .la{stroke:#0969da} .lb{stroke:#bc4c00} .name{font:bold 16px system-ui,sans-serif} .pale{opacity:.35}
.c{fill:#8a6d00} .d{fill:#1a7f37} .e{fill:#8250df} .shade{fill:#eef1f4}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117} text{fill:#e6edf3} .muted{fill:#9198a1} .grid{stroke:#3d444d} .mark{stroke:#9198a1}
.a{fill:#4493f8} .b{fill:#f0883e} .la{stroke:#4493f8} .lb{stroke:#f0883e}
.c{fill:#d29922} .d{fill:#3fb950} .e{fill:#ab7df8} .shade{fill:#1d242d}}
</style>`

// picture returns an SVG of a height with a title.
func picture(height int, title, body string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="18">
<title>%s</title>
%s
<rect width="100%%" height="100%%" rx="6" class="bg"/>
<text x="16" y="30" font-size="20" font-weight="bold">%[3]s</text>
%[5]s</svg>
`, pictureWidth, height, html.EscapeString(title), style, body)
}

// timeAxis draws the seconds below a plot.
func timeAxis(b *strings.Builder, from, to, y int, x func(second float64) float64) {
	every := 10
	for (to-from)/every > 9 {
		every *= 2
	}
	for second := from / every * every; second <= to; second += every {
		fmt.Fprintf(b, `<text class="muted" x="%.1f" y="%d" text-anchor="middle">%d s</text>`+"\n", min(x(float64(second)), pictureWidth-32), y, second)
	}
}

// draw writes the pictures.
func (o options) draw(r *result, t *timeline) (err error) {
	if o.svg != "" {
		names := [paired.Caches]string{cmp.Or(o.curveNames[paired.Changed], o.memcached), cmp.Or(o.curveNames[paired.Control], o.control)}
		err = os.WriteFile(o.svg, []byte(curve(cmp.Or(o.svgTitle, "Client hit ratio"), r.AllSeconds(), r.steps.all, names)), 0o600)
	}
	if o.svgPhases != "" {
		err = errors.Join(err, os.WriteFile(o.svgPhases, []byte(t.draw(cmp.Or(o.svgPhasesTitle, "Phases of a change, with its servers and proxies"), r.steps.all)), 0o600))
	}
	return err
}
