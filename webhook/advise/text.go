package advise

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/guptarohit/asciigraph"
)

// WriteText writes a report for people.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	whole := r.Whole
	fmt.Fprintf(&b, "%s with %s for items, of which %.0f%% is used. %s of %.0f bytes on average.\n", quantity(float64(len(r.Servers)), "server"),
		bytes(whole.MemoryBytes), 100*whole.UsedBytes/max(1, whole.MemoryBytes), quantity(whole.Items, "item"), whole.ItemBytes/max(1, whole.Items))
	fmt.Fprintf(&b, "Measured for %s: %s/s, hit ratio %s, %s/s, %s/s", duration(whole.IntervalSeconds), quantity(whole.Gets, "get"),
		percent(whole.HitRatio), quantity(whole.Sets, "set"), quantity(whole.Evictions, "eviction"))
	if whole.WindowSeconds > 0 {
		fmt.Fprintf(&b, " of items not read for %s", duration(whole.WindowSeconds))
	}
	fmt.Fprint(&b, ".\n")
	if whole.Complete || whole.ListedItems > 0 {
		fmt.Fprintf(&b, "Listed %s%s.\n", quantity(whole.ListedItems, "item"), map[bool]string{false: ", a random sample"}[whole.Complete])
	}
	fmt.Fprintln(&b)
	if whole.Curve == nil {
		fmt.Fprintf(&b, "The hit ratio of other sizes cannot be predicted.\n%s.\n\n", wrap(strings.TrimSuffix(whole.NoCurve, "."), ""))
	} else {
		fmt.Fprintf(&b, "Hit ratio by memory\n\n%s\n\n", plot(whole.Curve))
		writeCurve(&b, whole.Curve)
	}
	if len(r.Servers) > 1 {
		r.writeServers(&b)
	}
	fmt.Fprintln(&b, "Advice")
	for i, a := range r.Advice {
		fmt.Fprintf(&b, "\n%d. %s\n   %s\n", i+1, wrap(a.Text, "   "), wrap("Evidence: "+a.Evidence+".", "   "))
		for line := range strings.Lines(a.YAML) {
			fmt.Fprint(&b, "      ", line)
		}
	}
	if len(r.Advice) == 0 {
		fmt.Fprintln(&b, "\nNone.")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrap breaks a text into lines. All but the first begin with the indent.
func wrap(text, indent string) string {
	const columns = 100
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+len(word) >= columns:
			b.WriteString("\n" + indent)
			length = 0
		default:
			b.WriteString(" ")
		}
		b.WriteString(word)
		length += len(word) + 1
	}
	return b.String()
}

// quantity returns a whole number with a noun.
func quantity(n float64, noun string) string {
	if n = math.Round(n); n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%.0f %s", n, noun)
}

// plotColumns are the columns of a plot between two points of a curve.
const plotColumns = 4

// plot draws a curve with a logarithmic axis of memory.
func plot(curve []Point) string {
	columns := (len(curve)-1)*plotColumns + 1
	lines := [2][]float64{make([]float64, columns), make([]float64, columns)}
	for column := range columns {
		i := min(column/plotColumns, len(curve)-2)
		part := float64(column-i*plotColumns) / plotColumns
		value := 100 * (curve[i].HitRatio + part*(curve[i+1].HitRatio-curve[i].HitRatio))
		lines[0][column], lines[1][column] = value, math.NaN()
		if column > columns/2 {
			lines[0][column], lines[1][column] = math.NaN(), value
		}
	}
	graph := asciigraph.PlotMany(lines[:], asciigraph.Height(10), asciigraph.Precision(0), asciigraph.SeriesChars(asciigraph.DefaultCharSet, asciigraph.CreateCharSet("·")))
	first, _, _ := strings.Cut(graph, "\n")
	margin := strings.IndexAny(first, "┤┼")
	axis := []rune(strings.Repeat(" ", margin+columns+8))
	for i := 0; i < len(curve); i += pointsPerDoubling {
		label := []rune(bytes(curve[i].MemoryBytes))
		copy(axis[margin+1+i*plotColumns-min(margin, len(label)/2):], label)
	}
	return graph + "\n" + strings.TrimRight(string(axis), " ")
}

// writeCurve writes the points of a curve that people ask for.
func writeCurve(b *strings.Builder, curve []Point) {
	table := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "MEMORY\tHIT RATIO\tNEXT POINT COSTS\tITEMS NOT READ STAY")
	for i := 0; i < len(curve); i += pointsPerDoubling {
		p := curve[i]
		cost, window := "more than 4 times the memory", "forever"
		if p.BytesPerPoint > 0 && p.BytesPerPoint < MaxFactor*curve[len(curve)/2].MemoryBytes {
			cost = bytes(p.BytesPerPoint)
		}
		if p.WindowSeconds > 0 {
			window = duration(p.WindowSeconds)
			if p.WindowSeconds < coarseSeconds {
				window += " (below 3m, for which the clock of items is too coarse)"
			}
		}
		fmt.Fprintf(table, "%s\t%s %s\t%s\t%s\n", bytes(p.MemoryBytes), percent(p.HitRatio), p.Kind, cost, window)
	}
	_ = table.Flush() // into memory
	var errors []string
	for _, size := range []struct {
		name   string
		factor float64
	}{{"half", 0.5}, {"twice", 2}, {"a quarter", 0.25}, {"four times the memory", MaxFactor}} {
		p := at(curve, size.factor)
		errors = append(errors, fmt.Sprintf("%s %.1f (%.1f)", size.name, p.MeanError, p.WorstError))
	}
	fmt.Fprintf(b, "\n%s\n\n", wrap("Errors measured against real servers, in points on average (at worst): "+strings.Join(errors, ", ")+".", ""))
}

func (r Report) writeServers(b *strings.Builder) {
	table := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "SERVER\tVERSION\tITEMS\tMEMORY\tGETS/S\tHIT RATIO\tHALF\tTWICE")
	for _, s := range r.Servers {
		half, twice := "?", "?"
		if s.Curve != nil {
			half, twice = percent(at(s.Curve, 0.5).HitRatio), percent(at(s.Curve, 2).HitRatio)
		}
		fmt.Fprintf(table, "%s\t%s\t%.0f\t%s\t%.0f\t%s\t%s\t%s\n", s.Address, s.Version, s.Items, bytes(s.MemoryBytes), s.Gets, percent(s.HitRatio), half, twice)
	}
	_ = table.Flush() // into memory
	fmt.Fprintln(b)
}
