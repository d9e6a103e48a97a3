package advise_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/advise"
)

var update = flag.Bool("update", false, "write the golden files")

// recording is what test/bench/advise recorded from servers with half, once and twice the memory.
type recording struct {
	Scenario string
	Samples  []*advise.Sample
}

func recordings(t *testing.T) (all []recording) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		var r recording
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		compressed, err := gzip.NewReader(file)
		if err == nil {
			err = json.NewDecoder(compressed).Decode(&r)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, r)
	}
	return all
}

// TestRecorded compares the hit ratios that servers predict for other sizes with those of such servers, and with the errors that
// reports show.
func TestRecorded(t *testing.T) {
	servers := map[string][]advise.Server{}
	for _, r := range recordings(t) {
		servers[r.Scenario] = advise.Of(r.Samples, nil).Servers
	}
	for _, pair := range []struct {
		from, to          int
		factor            float64
		maxMean, maxWorst float64
	}{{1, 0, 0.5, 1.5, 3}, {1, 2, 2, 1.5, 3}, {2, 0, 0.25, 5, 8}, {0, 2, 4, 5, 8}} {
		sum, worst, count := 0.0, 0.0, 0.0
		var point advise.Point
		for scenario, s := range servers {
			from := s[pair.from]
			at := slices.IndexFunc(from.Curve, func(p advise.Point) bool { return p.Factor == pair.factor })
			if at < 0 {
				if pair.from == 1 {
					t.Errorf("%s: no hit ratio for %v times the memory: %s", scenario, pair.factor, from.NoCurve)
				}
				continue
			}
			point = from.Curve[at]
			differ := 100 * math.Abs(point.HitRatio-s[pair.to].HitRatio)
			sum, worst, count = sum+differ, max(worst, differ), count+1
		}
		mean := sum / count
		if mean > pair.maxMean || worst > pair.maxWorst {
			t.Errorf("%v times the memory: the error is %.2f points on average and %.2f at worst, want at most %v and %v", pair.factor, mean, worst, pair.maxMean, pair.maxWorst)
		}
		if math.Abs(point.MeanError-mean) > 0.06 || math.Abs(point.WorstError-worst) > 0.06 {
			t.Errorf("%v times the memory: the report has the errors %.1f and %.1f, but %.2f and %.2f were measured", pair.factor, point.MeanError, point.WorstError, mean, worst)
		}
	}
}

// TestOutput compares the text and the plot of a recorded report with golden files.
func TestOutput(t *testing.T) {
	for _, r := range recordings(t) {
		if r.Scenario != "zipf-0.9" {
			continue
		}
		report := advise.Of([]*advise.Sample{r.Samples[1], r.Samples[0]}, nil)
		for name, write := range map[string]func(*strings.Builder) error{
			"report.txt": func(b *strings.Builder) error { return report.WriteText(b) },
			"report.svg": func(b *strings.Builder) error { return report.WriteSVG(b) },
		} {
			var got strings.Builder
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			name = filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
	}
}
