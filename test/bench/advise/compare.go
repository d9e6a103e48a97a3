package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/example/memcached-operator/webhook/advise"
)

// recording is what advise read from servers with half, once and twice the memory.
type recording struct {
	Scenario string
	Samples  []*advise.Sample
}

func (r recording) write(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := gzip.NewWriter(f)
	return errors.Join(json.NewEncoder(w).Encode(r), w.Close(), f.Close())
}

func readRecording(file string) (r recording, err error) {
	f, err := os.Open(file)
	if err != nil {
		return r, err
	}
	defer f.Close()
	compressed, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(compressed).Decode(&r)
	}
	return r, err
}

// pairs are the predictions that are compared: of which server for which server.
var pairs = []struct {
	name     string
	from, to int
	factor   float64
}{{"half", 1, 0, 0.5}, {"twice", 1, 2, 2}, {"a quarter", 2, 0, 0.25}, {"four times", 0, 2, 4}}

// compare prints a Markdown table of the hit ratios that servers predict for others, and those that these have.
func compare(w io.Writer, files []string) error {
	fmt.Fprint(w, "| gets |")
	for _, p := range pairs {
		fmt.Fprintf(w, " %s: predicted | measured | error |", p.name)
	}
	fmt.Fprint(w, "\n|---|"+strings.Repeat("---:|", 3*len(pairs))+"\n")
	sum, worst, count := make([]float64, len(pairs)), make([]float64, len(pairs)), make([]float64, len(pairs))
	for _, file := range files {
		r, err := readRecording(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintf(w, "| %s |", r.Scenario)
		for i, p := range pairs {
			from := advise.Of(r.Samples[p.from:p.from+1], nil).Whole
			measured := advise.Of(r.Samples[p.to:p.to+1], nil).Whole.HitRatio
			at := slices.IndexFunc(from.Curve, func(point advise.Point) bool { return point.Factor == p.factor })
			if at < 0 {
				fmt.Fprintf(w, " no prediction | %.1f %% | |", 100*measured)
				continue
			}
			differ := 100 * (from.Curve[at].HitRatio - measured)
			sum[i], worst[i], count[i] = sum[i]+math.Abs(differ), max(worst[i], math.Abs(differ)), count[i]+1
			fmt.Fprintf(w, " %.1f %% | %.1f %% | %+.1f |", 100*from.Curve[at].HitRatio, 100*measured, differ)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| **mean (worst) error** |")
	for i := range pairs {
		fmt.Fprintf(w, " | | %.1f (%.1f) |", sum[i]/max(count[i], 1), worst[i])
	}
	_, err := fmt.Fprintln(w)
	return err
}
