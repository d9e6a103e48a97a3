package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// writeTable prints a Markdown table with one row per hook. The ratio to this operator is in parentheses.
func writeTable(w io.Writer, results []result, missing []string) {
	header := []string{"hook"}
	for _, size := range sizes {
		header = append(header, thousands(size)+" pods")
	}
	header = append(header, "syncs/s", "p99", "first response", "idle", "5 x 1,000 pods")
	fmt.Fprintf(w, "\nCPU time of one sync by number of pods; syncs of 3 pods per second from %d clients; resident memory.\n\n", clients)
	row(w, header)
	row(w, append([]string{"---"}, repeat("---:", len(header)-1)...))
	base := results[0]
	for _, r := range results {
		cells := []string{r.peer.name}
		for _, size := range sizes {
			cells = append(cells, cell(milliseconds(r.cpu[size]), float64(r.cpu[size]), float64(base.cpu[size])))
		}
		cells = append(cells,
			cell(fmt.Sprintf("%.0f", r.rate), r.rate, base.rate),
			cell(milliseconds(r.p99), float64(r.p99), float64(base.p99)),
			cell(milliseconds(r.start), float64(r.start), float64(base.start)),
			cell(mebibytes(r.idle), float64(r.idle), float64(base.idle)),
			cell(mebibytes(r.busy), float64(r.busy), float64(base.busy)))
		row(w, cells)
	}
	for _, sentence := range missing {
		fmt.Fprintf(w, "\n%s.\n", sentence)
	}
}

func writeDecoding(w io.Writer, results []decoding) {
	fmt.Fprint(w, "\nA sync without HTTP, compared to json.Valid of the same bytes.\n\n")
	row(w, []string{"pods", "body", "sync", "json.Valid", "ratio", "allocations", "allocated"})
	row(w, repeat("---:", 7))
	for _, d := range results {
		row(w, []string{
			thousands(d.size), mebibytes(int64(d.body)), milliseconds(d.sync), milliseconds(d.valid),
			fmt.Sprintf("%.2f", ratio(d.sync, d.valid)), strconv.FormatUint(d.allocations, 10), mebibytes(int64(d.allocated)),
		})
	}
}

// writeLimits prints each figure with its limit.
func writeLimits(w io.Writer, results []result, decodings []decoding) {
	of := map[int]decoding{}
	for _, d := range decodings {
		of[d.size] = d
	}
	own, null := results[0], results[0]
	for _, r := range results {
		if r.peer.null {
			null = r
		}
	}
	fmt.Fprint(w, "\nLimits.\n\n")
	row(w, []string{"figure", "limit", "measured", ""})
	row(w, []string{"---", "---:", "---:", "---"})
	within := func(figure, sign string, limit, measured float64, format string, ok bool) {
		verdict := "pass"
		if !ok {
			verdict = "**fail**"
		}
		row(w, []string{figure, fmt.Sprintf(sign+" "+format, limit), fmt.Sprintf(format, measured), verdict})
	}
	atMost := func(figure string, limit, measured float64, format string) {
		within(figure, "≤", limit, measured, format, measured <= limit)
	}
	const mib = 1 << 20
	atMost("1,000 pods: time relative to json.Valid", 1.2, ratio(of[1000].sync, of[1000].valid), "%.2f")
	atMost("1,000 pods: allocations per pod", 12, float64(of[1000].allocations)/1000, "%.1f")
	// The response is in memory twice: as strings and encoded.
	atMost("1,000 pods: allocated in addition to the response, MiB", 1, float64(int(of[1000].allocated)-2*of[1000].response)/mib, "%.2f")
	atMost("3,000 pods: time relative to 1,000 pods", 3, ratio(of[3000].sync, of[1000].sync), "%.2f")
	atMost("3 pods: time without HTTP, ms", 0.2, of[3].sync.Seconds()*1000, "%.2f")
	atMost("five concurrent syncs of 1,000 pods: resident, MiB", 40, float64(own.busy)/mib, "%.1f")
	atMost("idle: resident, MiB", 20, float64(own.idle)/mib, "%.1f")
	atMost("binary, MB", 20, float64(own.program)/1e6, "%.1f")
	atMost("first response after the start, ms", 50, own.start.Seconds()*1000, "%.0f")
	within("syncs of 3 pods per second relative to the null handler", "≥", 0.5, own.rate/null.rate, "%.2f", own.rate/null.rate >= 0.5)
	atMost("p99 of 3 pods relative to the null handler", 3, ratio(own.p99, null.p99), "%.1f")
}

func row(w io.Writer, cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

func cell(text string, value, base float64) string {
	if value == base || base == 0 {
		return text
	}
	return fmt.Sprintf("%s (%.2gx)", text, value/base)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func repeat(s string, n int) []string { return strings.Split(strings.Repeat(s+" ", n-1)+s, " ") }

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
}

func mebibytes(bytes int64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%.2f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
}

// thousands formats a number with thousands separators.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
