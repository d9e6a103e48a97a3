package advise

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// WriteText writes a report for people.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	whole := r.Whole
	fmt.Fprintf(&b, "%s with %s for items, of which %.0f%% is used. %s of %.0f bytes on average.\n", quantity(float64(len(r.Servers)), "server"),
		bytes(whole.MemoryBytes), 100*whole.UsedBytes/max(1, whole.MemoryBytes), quantity(whole.Items, "item"), whole.ItemBytes/max(1, whole.Items))
	fmt.Fprintf(&b, "Measured for %s: %s/s, hit ratio %s, %s/s, %s/s.\n\n", duration(whole.IntervalSeconds), quantity(whole.Gets, "get"),
		whole.hitRatio(), quantity(whole.Sets, "set"), quantity(whole.Evictions, "eviction"))
	if whole.KeyPart > 0 && whole.KeyPart < 1 {
		fmt.Fprintf(&b, "Counted for a sample with %s of the keys.\n\n", percent(whole.KeyPart))
	}
	if whole.Curve == nil {
		fmt.Fprintf(&b, "The hit ratio with more or less memory is unknown.\n%s.\n\n", wrap(strings.TrimSuffix(whole.NoCurve, "."), ""))
	} else {
		writeCurve(&b, whole)
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
	_, err := io.WriteString(w, b.String())
	return err
}

// hitRatio returns the hit ratio for people. Without gets there is none.
func (v Server) hitRatio() string {
	if v.Gets == 0 {
		return "unknown"
	}
	return percent(v.HitRatio)
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

// writeCurve writes the hit ratios of other sizes.
func writeCurve(b *strings.Builder, whole Server) {
	table := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "MEMORY\tHIT RATIO\tMEMORY FOR ONE MORE POINT")
	for i, p := range whole.Curve {
		if p.Factor > 1 && whole.Evictions == 0 {
			break // nothing changes
		}
		cost := "more memory gains nothing"
		if p.BytesPerPoint > 0 {
			cost = bytes(p.BytesPerPoint)
		} else if i == len(whole.Curve)-1 {
			cost = "unknown"
		}
		fmt.Fprintf(table, "%s\t%s %s\t%s\n", bytes(p.MemoryBytes), percent(p.HitRatio), p.Kind, cost)
	}
	_ = table.Flush() // into memory
	fmt.Fprintln(b)
}

func (r Report) writeServers(b *strings.Builder) {
	table := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "SERVER\tVERSION\tITEMS\tMEMORY\tGETS/S\tHIT RATIO\tHALF\tTWICE")
	for _, s := range r.Servers {
		half, twice := "?", "?"
		if p := at(s.Curve, 0.5); p != nil {
			half = percent(p.HitRatio)
		}
		if p := at(s.Curve, 2); p != nil {
			twice = percent(p.HitRatio)
		}
		fmt.Fprintf(table, "%s\t%s\t%.0f\t%s\t%.0f\t%s\t%s\t%s\n", s.Address, s.Version, s.Items, bytes(s.MemoryBytes), s.Gets, s.hitRatio(), half, twice)
	}
	_ = table.Flush() // into memory
	fmt.Fprintln(b)
}
