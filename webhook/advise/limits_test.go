package advise_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func slab(name, value string) change {
	return func(s *advise.Sample) { s.After.Slabs[name] = value }
}

// TestSpareMemoryNeedsNoAdvice checks that chunks and items that no client reads do not matter while memory is left.
func TestSpareMemoryNeedsNoAdvice(t *testing.T) {
	spare := slab("total_malloced", text(8<<20))
	for _, changes := range [][]change{{class(1, 60_000, 800, 1000), spare}, {list(600, false), spare}} {
		if got := advise.Of([]*advise.Sample{sampleOf(changes...)}, nil).Advice; len(got) > 0 {
			t.Errorf("got %+v, want none", got)
		}
	}
}

// TestFactor checks that an advice replaces the growth factor in the arguments.
func TestFactor(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"no arguments", nil, "    - -f\n    - \"1.08\"\n"},
		{"other arguments and a factor", []string{"-n", "40", "-f", "1.5", "-R", "9"}, "    - -n\n    - \"40\"\n    - -R\n    - \"9\"\n    - -f\n    - \"1.08\"\n"},
		{"only a factor, so that the number of arguments stays", []string{"-f", "1.5"}, "    - -f\n    - \"1.08\"\n"},
		{"a long name", []string{"--slab-growth-factor=1.5"}, "    - -f\n    - \"1.08\"\n"},
		{"the advised factor", []string{"-f", "1.08"}, ""},
	} {
		cache := &v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{OverheadPercent: new(int64(2)), ExtraArgs: test.args}}}
		var got strings.Builder
		for _, a := range advise.Of([]*advise.Sample{sampleOf(class(1, 60_000, 800, 1000))}, cache).Advice {
			got.WriteString(strings.TrimPrefix(a.YAML, "spec:\n  cache:\n    extraArgs:\n"))
		}
		if diff := cmp.Diff(test.want, got.String()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
		}
	}
}

// TestWorstServer checks that an advice has the limit of the server that is near it, and not of the last one.
func TestWorstServer(t *testing.T) {
	last := sampleOf(general("max_connections", "10000"), general("threads", "16"))
	for want, worst := range map[string]change{"maxConnections: 2048": general("curr_connections", "900"), "threads: 8": general("rusage_user", "230")} {
		advice := advise.Of([]*advise.Sample{sampleOf(worst), last}, nil).Advice
		if len(advice) != 1 || !strings.Contains(advice[0].YAML, want) {
			t.Errorf("got %+v, want %s", advice, want)
		}
	}
}

// TestText checks the words of a report on servers without a listing, and on one with a single item.
func TestText(t *testing.T) {
	unlisted := sampleOf(func(s *advise.Sample) { s.Listing, s.NoListing = nil, "no listing" })
	other := sampleOf(func(s *advise.Sample) { s.Address, s.Listing, s.NoListing = "other:11211", nil, "SASL" })
	report := advise.Of([]*advise.Sample{unlisted, other}, nil)
	var got strings.Builder
	if err := report.WriteText(&got); err != nil {
		t.Fatal(err)
	}
	if text := got.String(); strings.Contains(text, "Listed") || !strings.Contains(report.Whole.NoCurve, "no listing. other:11211: SASL") {
		t.Errorf("got the reason %q and the text\n%s", report.Whole.NoCurve, text)
	}
	content, err := json.Marshal(report)
	if err != nil || !bytes.Contains(content, []byte(`"advice":[]`)) {
		t.Errorf("the JSON has no empty list: %v\n%s", err, content)
	}
	single := sampleOf(general("curr_items", "1"), general("cmd_get", "60"), func(s *advise.Sample) {
		s.Listing.Classes = map[int]*advise.ListedClass{1: {Items: 1}}
	})
	got.Reset()
	if err := advise.Of([]*advise.Sample{single}, nil).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 server ", " 1 item of ", " 1 get/s", "Listed 1 item."} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, got.String())
		}
	}
}
