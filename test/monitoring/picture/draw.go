package main

import (
	"fmt"
	"math"
	"time"

	"github.com/go-analyze/charts"
)

// The sizes of the picture in pixels.
const (
	columns     = 2
	panelWidth  = 470
	panelHeight = 190
	rowHeight   = 26
	margin      = 8
)

var (
	text   = charts.ColorFromHex("#1f2328")
	muted  = charts.ColorFromHex("#59636e")
	border = charts.ColorFromHex("#d1d9e0")
	theme  = charts.MakeTheme(charts.ThemeOption{
		BackgroundColor: charts.ColorFromHex("#ffffff"), TextColor: muted, TextColorTitle: text,
		AxisStrokeColor: border, AxisSplitLineColor: charts.ColorFromHex("#eaeef2"),
		SeriesColors: []charts.Color{
			charts.ColorFromHex("#0969da"), charts.ColorFromHex("#bc4c00"), charts.ColorFromHex("#1a7f37"), charts.ColorFromHex("#8250df"),
			charts.ColorFromHex("#bf3989"), charts.ColorFromHex("#9a6700"),
		},
	})
)

// draw returns the graphs as SVG, below the titles of their rows.
func draw(graphs []graph, duration time.Duration) ([]byte, error) {
	rows := (len(graphs) + columns - 1) / columns
	all := charts.NewPainter(charts.PainterOptions{
		OutputFormat: charts.ChartOutputSVG, Width: columns * panelWidth, Height: rows * (rowHeight + panelHeight), Theme: theme,
	})
	all.FilledRect(0, 0, all.Width(), all.Height(), theme.GetBackgroundColor(), theme.GetBackgroundColor(), 0)
	for i, each := range graphs {
		left, top := i%columns*panelWidth, i/columns*(rowHeight+panelHeight)
		if left == 0 {
			all.Text(each.panel.Row, margin, top+rowHeight-margin, 0, charts.FontStyle{FontSize: 13, FontColor: text})
		}
		box := charts.NewBox(left+margin/2, top+rowHeight, left+panelWidth-margin/2, top+rowHeight+panelHeight-margin/2)
		all.FilledRect(box.Left, box.Top, box.Right, box.Bottom, theme.GetBackgroundColor(), border, 1)
		if err := drawGraph(all.Child(charts.PainterBoxOption(box)), each, duration); err != nil {
			return nil, fmt.Errorf("drawing %s: %w", each.panel.Title, err)
		}
	}
	return all.Bytes()
}

func drawGraph(panel *charts.Painter, drawn graph, duration time.Duration) error {
	var values [][]float64
	var names []string
	for _, line := range drawn.lines {
		names = append(names, line.name)
		values = append(values, withoutNaN(line.values))
	}
	option := charts.NewLineChartOptionWithData(values)
	option.Theme = theme
	option.Padding = charts.NewBoxEqual(margin)
	option.Title = charts.TitleOption{Text: drawn.panel.Title, FontStyle: charts.FontStyle{FontSize: 11, FontColor: text}}
	option.Legend = charts.LegendOption{
		SeriesNames: names, FontStyle: charts.FontStyle{FontSize: 8, FontColor: muted}, Symbol: charts.SymbolDot,
		Offset: charts.OffsetStr{Left: charts.PositionLeft, Top: charts.PositionBottom},
	}
	option.LineStrokeWidth = 1.5
	option.Symbol = charts.Symbol{Shape: charts.SymbolNone}
	option.XAxis = charts.XAxisOption{
		Labels: times(len(values[0]), duration), LabelCount: 6, BoundaryGap: charts.Ptr(false), LabelFontStyle: charts.FontStyle{FontSize: 8, FontColor: muted},
	}
	defaults := drawn.panel.FieldConfig.Defaults
	option.YAxis[0].Min, option.YAxis[0].Max = charts.Ptr(0.0), defaults.Max
	option.YAxis[0].LabelFontStyle = charts.FontStyle{FontSize: 8, FontColor: muted}
	option.YAxis[0].ValueFormatter = func(value float64) string { return format(value, defaults.Unit) }
	return panel.LineChart(option)
}

// withoutNaN replaces the steps without a sample by the value that charts does not draw.
func withoutNaN(values []float64) []float64 {
	drawn := make([]float64, len(values))
	for i, value := range values {
		if math.IsNaN(value) {
			value = charts.GetNullValue()
		}
		drawn[i] = value
	}
	return drawn
}

// times returns the time since the start for each step.
func times(steps int, duration time.Duration) []string {
	labels := make([]string, steps)
	for i := range labels {
		since := time.Duration(i) * duration / time.Duration(max(steps-1, 1))
		labels[i] = fmt.Sprintf("%d:%02d", int(since.Minutes()), int(since.Seconds())%60)
	}
	return labels
}

// format returns a value in a unit of Grafana.
func format(value float64, unit string) string {
	switch unit {
	case "percentunit":
		return fmt.Sprintf("%.0f%%", value*100)
	case "s":
		return fmt.Sprintf("%.3g ms", value*1000)
	case "Bps":
		return scaled(value, 1000) + "B/s"
	case "bytes":
		if value < 1024 {
			return fmt.Sprintf("%.3g B", value)
		}
		return scaled(value, 1024) + "iB"
	case "ops":
		return scaled(value, 1000) + "ops/s"
	case "reqps":
		return scaled(value, 1000) + "req/s"
	}
	return scaled(value, 1000)
}

// scaled returns a value with a prefix and a space.
func scaled(value, base float64) string {
	prefixes := []string{"", "k", "M", "G"}
	for value >= base && len(prefixes) > 1 {
		value, prefixes = value/base, prefixes[1:]
	}
	return fmt.Sprintf("%.3g %s", value, prefixes[0])
}
