package main

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden files")

// recordings returns those of a half: fit or check.
func recordings(t *testing.T, half string) (all []recording) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + half + "/*.gob.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		r, err := readRecording(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestRecorded compares the hit ratios that servers predict for other sizes with those of such servers. The rules were chosen with the half "fit" alone.
func TestRecorded(t *testing.T) {
	for _, half := range []string{"fit", "check"} {
		all, errors, refused := recordings(t, half), []float64{}, 0
		for _, r := range all {
			curve := reportOf(r).Whole.Curve
			if curve == nil {
				refused++
				continue
			}
			for i, factor := range []float64{0.5, 2} {
				differ := math.Round(1000*(at(curve, factor)-hitRatio(r.Samples[2*i]))) / 10
				if !math.IsNaN(differ) {
					errors = append(errors, math.Abs(differ))
				}
			}
		}
		sum := 0.0
		for _, e := range errors {
			sum += e
		}
		mean, worst := sum/float64(len(errors)), slices.Max(errors)
		t.Logf("%s: the error is %.2f points on average and %.2f at worst, for %d figures; %d of %d loads are refused", half, mean, worst, len(errors), refused, len(all))
		if mean > 1.5 || worst > 3 || refused > len(all)/3 {
			t.Errorf("%s: want at most 1.5 points on average, 3 at worst, and a third of the loads refused", half)
		}
	}
}

// TestHarmless checks that no advice to have less memory costs more than it promises.
func TestHarmless(t *testing.T) {
	for _, r := range slices.Concat(recordings(t, "fit"), recordings(t, "check")) {
		all, costs := reportOf(r).Advice, 100*(hitRatio(r.Samples[1])-hitRatio(r.Samples[0]))
		for _, a := range all {
			t.Logf("%s: half costs %.1f points: %s: %s", r.Scenario, costs, a.Name, a.Text)
		}
		if a := all[0]; a.Name == "Halve" && costs > 1 {
			t.Errorf("%s: %s, but half costs %.1f points", r.Scenario, a.Text, costs)
		}
	}
}

// reportOf returns the report of the server in the middle.
func reportOf(r recording) advise.Report { return advise.Of(r.Samples[middle:middle+1], nil) }

// TestOutput compares the text of a recorded report with a golden file.
func TestOutput(t *testing.T) {
	r, err := readRecording("testdata/fit/zipf-1.0.gob.gz")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := advise.Of(r.Samples[middle:middle+1], &v1alpha1.Memcached{}).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.txt", text.String())
}

// golden compares a file with what it should be.
func golden(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s (-file +test):\n%s", name, diff)
	}
}
