package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

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

// compare prints a Markdown table of the hit ratios that the server in the middle predicts for the others, and those that they
// have.
func compare(w io.Writer, files []string) error {
	fmt.Fprint(w, "| gets | measured | half: predicted | measured | error | twice: extrapolated | measured | error |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	sum, worst := [2]float64{}, [2]float64{}
	count := 0.0
	for _, file := range files {
		r, err := readRecording(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		measured := make([]float64, len(r.Samples))
		for i, sample := range r.Samples {
			measured[i] = advise.Of([]*advise.Sample{sample}, nil).Whole.HitRatio
		}
		middle := advise.Of(r.Samples[1:2], nil).Whole
		fmt.Fprintf(w, "| %s | %.1f %% |", r.Scenario, 100*measured[1])
		if middle.Curve == nil {
			fmt.Fprintf(w, " cannot tell: %s | | | | | |\n", middle.NoCurve)
			continue
		}
		count++
		for i, factor := range []float64{0.5, 2} {
			predicted := 0.0
			for _, p := range middle.Curve {
				if p.Factor == factor {
					predicted = p.HitRatio
				}
			}
			differ := 100 * (predicted - measured[2*i])
			sum[i], worst[i] = sum[i]+math.Abs(differ), max(worst[i], math.Abs(differ))
			fmt.Fprintf(w, " %.1f %% | %.1f %% | %+.1f |", 100*predicted, 100*measured[2*i], differ)
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "\nMean error %.1f points for half and %.1f for twice the memory; worst %.1f and %.1f.\n", sum[0]/count, sum[1]/count, worst[0], worst[1])
	return err
}
