package advise

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// TestSize checks the advice for a full server of 64 MiB that hits 80 %.
func TestSize(t *testing.T) {
	for _, test := range []struct {
		reason            string
		half, most, twice float64 // 0: unknown
		evictions, age    float64
		want, text        string
	}{
		{"more gives hits", 0.7, 0.85, 0.9, 10, 60, "Increase", "128 MiB (memcached -m 128)"},
		{"only a part of more is known, and gives hits", 0.7, 0.85, 0, 10, 60, "Increase", "96 MiB"},
		{"half costs nothing", 0.795, 0.8, 0.8, 10, 60, "Halve", "32 MiB"},
		{"half has nothing that was used in an hour", 0.795, 0.8, 0.8, 10, 3600, "Watch", "--watch=72m"},
		{"more is unknown", 0.7, 0, 0, 10, 60, "Watch", "--watch=20m"},
		{"half costs hits, and more gives none", 0.7, 0.81, 0.82, 10, 60, "Keep", "less than 3 points"},
		{"everything fits", 0.7, 0.8, 0.8, 0, 60, "Keep", "nothing is evicted"},
	} {
		w := Server{MemoryBytes: 64 << 20, UsedBytes: 64 << 20, HitRatio: 0.8, Evictions: test.evictions, Items: 10_000, IntervalSeconds: 300, HalfSeconds: test.age}
		for i, ratio := range []float64{test.half, w.HitRatio, test.most, test.twice} {
			if factor := []float64{0.5, 1, 1.5, 2}[i]; ratio > 0 {
				w.Curve = append(w.Curve, Point{Factor: factor, MemoryBytes: factor * w.MemoryBytes, HitRatio: ratio, Kind: Counted})
			}
		}
		if got := size(situation{samples: []*Sample{{}}, whole: w}); got.Name != test.want || !strings.Contains(got.Text, test.text) {
			t.Errorf("%s: got %s: %s, want %s with %q", test.reason, got.Name, got.Text, test.want, test.text)
		}
	}
}

// TestRefusals checks the reasons for no hit ratios, and what they advise to do.
func TestRefusals(t *testing.T) {
	values := func(gets string) Reading { return Reading{General: Values{"cmd_get": gets}} }
	sample := func(gets string, change func(*Sample)) *Sample {
		s := &Sample{Seconds: 300, Before: values("0"), After: values(gets), Trace: &Trace{Part: 1, Gets: 3000, Items: []Item{{}}, Events: []Event{{Kind: Hit}, {Kind: Hit, Millis: 300_000}}}}
		change(s)
		return s
	}
	for _, test := range []struct {
		reason string
		sample *Sample
		want   string
	}{
		{"steady hits", sample("3000", func(*Sample) {}), ""},
		{"no log", sample("3000", func(s *Sample) { s.NoTrace = "memcached with SASL" }), "memcached with SASL"},
		{"flash", sample("3000", func(s *Sample) { s.Flash = 1 }), "on flash"},
		{"few gets", sample("1000", func(*Sample) {}), "only 1000 gets, but a prediction needs 2500. Use --watch=15m"},
		{"no gets", sample("0", func(*Sample) {}), "Check the address"},
		{"a get", sample("1", func(*Sample) {}), "Run advise again when clients send more requests"},
		{"a server that was empty", sample("3000", func(s *Sample) { s.Trace.Items = nil }), "no items at the start"},
		{"a log with gaps", sample("6000", func(*Sample) {}), "only 50.0% of the gets"},
		{"gets in one half", sample("3000", func(s *Sample) { s.Trace.Events[0].Kind = Stored }), "clients sent gets in only one half of the interval. Use --watch=24m"},
		{"a change", sample("3000", func(s *Sample) { s.Trace.Events[1].Kind = Miss }), "was 100.0% in the first half of the interval, and 0.0% in the second half. Use --watch=24m"},
	} {
		if got := test.sample.refuse(); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestTracer checks that the get before each store is none of a client, and that a trace that is too large keeps some of the keys.
func TestTracer(t *testing.T) {
	tracer := newTracer(100, 2, 10)
	for _, e := range []client.Entry{
		{Type: client.Get, Key: []byte("a"), Connection: 1},
		{Type: client.Get, Key: []byte("a"), Connection: 1},
		{Type: client.Get, Key: []byte("b"), Connection: 2, Found: true},
		{Type: client.Store, Key: []byte("a"), Connection: 1, Class: 3},
		{Type: client.Evict, Key: []byte("c"), Class: 3},
	} {
		e.Time = time.Unix(101, 0)
		tracer.entry(&e)
	}
	var got []EventKind
	for _, e := range tracer.trace().Events {
		got = append(got, e.Kind)
	}
	if want := []EventKind{Miss, Hit, Stored, Evicted}; !slices.Equal(got, want) || tracer.Gets != 2 {
		t.Errorf("got the events %v and %d gets, want %v and 2", got, tracer.Gets, want)
	}
}

// TestTracerLimitsItems: a server may list more items than it counts.
func TestTracerLimitsItems(t *testing.T) {
	const maxItems = 100
	tracer := newTracer(100, 1, maxItems)
	for i := range 50 * maxItems {
		key := []byte(strconv.Itoa(i))
		tracer.item(client.Item{Key: key})
		tracer.entry(&client.Entry{Type: client.Get, Key: key, Time: time.Unix(101, 0)})
	}
	got := tracer.trace()
	if len(got.Items) > 2*maxItems || len(got.Events) != len(got.Items) || math.Abs(got.Part*50*maxItems-float64(len(got.Items))) > 100 {
		t.Errorf("%d items and %d events are left, with a part of %f, of %d each; want the same ones, at most %d", len(got.Items), len(got.Events), got.Part, 50*maxItems, 2*maxItems)
	}
}
