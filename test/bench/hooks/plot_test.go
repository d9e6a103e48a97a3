package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
	"time"
)

// TestPlot checks that the plot is well-formed XML and that the names of the lines do not overlap.
func TestPlot(t *testing.T) {
	var results []result
	for _, name := range []string{"a", "b", "c"} {
		cpu := map[int]time.Duration{}
		for _, size := range plotSizes {
			cpu[size] = time.Duration(size) * time.Microsecond
		}
		results = append(results, result{peer: peer{name: name}, cpu: cpu})
	}
	decoder := xml.NewDecoder(bytes.NewReader(plot(results)))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	at := spread(results)
	for i := range at {
		for j := range i {
			if distance := at[i] - at[j]; distance < 18 && distance > -18 {
				t.Errorf("the names of equal lines are %.1f apart", distance)
			}
		}
	}
}
