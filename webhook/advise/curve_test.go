package advise

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// curveOf returns a curve with a hit ratio of 0.8 at 64 MiB, and others for half, twice and four times the memory.
func curveOf(half, twice, most float64) []Point {
	return []Point{{Factor: 0.5, HitRatio: half}, {Factor: 1, HitRatio: 0.8, MemoryBytes: 64 << 20}, {Factor: 2, HitRatio: twice, MemoryBytes: 128 << 20}, {Factor: 4, HitRatio: most}}
}

func TestSize(t *testing.T) {
	for _, test := range []struct {
		reason string
		curve  []Point
		want   string
		memory string
		items  string
	}{
		{"half of the memory loses half a point", curveOf(0.795, 0.804, 0.806), "Halve", "32Mi", "64Mi"},
		{"twice the memory gives five points", curveOf(0.73, 0.85, 0.9), "Double", "128Mi", "64Mi"},
		{"less costs hits, more gives little", curveOf(0.73, 0.81, 0.82), "Keep", "", "64Mi"},
		{"half of the memory loses nothing, but is below the minimum", curveOf(0.8, 0.8, 0.8), "Keep", "", "31Mi"},
		{"half of the memory is the minimum", curveOf(0.8, 0.8, 0.8), "Halve", "16Mi", "32Mi"},
	} {
		cache := &v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: new(resource.MustParse(test.items))}}}
		cache.Default()
		got := size(situation{whole: Server{Curve: test.curve, HitRatio: 0.8}, cache: cache})
		if got.Name != test.want || !strings.Contains(got.YAML, test.memory) || (got.YAML == "") != (test.memory == "") {
			t.Errorf("%s: got %+v, want %s with %s", test.reason, *got, test.want, test.memory)
		}
	}
}

func TestExpiring(t *testing.T) {
	for _, test := range []struct {
		reason   string
		items    float64
		expiring float64
		curve    []Point
		want     bool
	}{
		{"most items expire, and more memory gives nothing", 100, 90, curveOf(0.7, 0.801, 0.802), true},
		{"most items expire, but more memory gives hits", 100, 90, curveOf(0.7, 0.85, 0.9), false},
		{"few items expire", 100, 10, curveOf(0.7, 0.801, 0.802), false},
		{"no items", 0, 0, curveOf(0.7, 0.801, 0.802), false},
	} {
		sample := &Sample{Listing: &Listing{Classes: map[int]*ListedClass{1: {Items: test.items, Expiring: test.expiring}}}}
		got := expiring(situation{samples: []*Sample{sample}, whole: Server{Curve: test.curve}})
		if (got != nil) != test.want {
			t.Errorf("%s: got the advice %v, want one: %t", test.reason, got, test.want)
		}
	}
}

func TestFlash(t *testing.T) {
	for _, test := range []struct {
		reason string
		size   float64
		curve  []Point
		want   bool
	}{
		{"large items, and more memory gives hits", 8000, curveOf(0.7, 0.85, 0.9), true},
		{"large items, but more memory gives nothing", 8000, curveOf(0.7, 0.801, 0.802), false},
		{"small items", 200, curveOf(0.7, 0.85, 0.9), false},
	} {
		bytes := 1000 * test.size
		sample := &Sample{
			Listing: &Listing{Classes: map[int]*ListedClass{1: {Items: 1000, Bytes: bytes}}}, Seconds: 60,
			After: Reading{General: Values{}, Items: Values{"items:1:number": "1000", "items:1:mem_requested": strconv.FormatFloat(bytes, 'f', 0, 64)}},
		}
		cache := &v1alpha1.Memcached{}
		cache.Default()
		whole := Server{Curve: test.curve, HitRatio: 0.8, Evictions: 1, ItemBytes: bytes, MemoryBytes: 200 << 30}
		got := flash(situation{samples: []*Sample{sample}, whole: whole, cache: cache})
		if (got != nil) != test.want {
			t.Errorf("%s: got the advice %v, want one: %t", test.reason, got, test.want)
			continue
		}
		if test.want && got.YAML != "spec:\n  flash:\n    averageItemSize: 8000\n    size: 2000Gi\n" {
			t.Errorf("%s: got %s", test.reason, got.YAML)
		}
	}
}

// TestWindow checks that a class which evicts nothing does not change the age at which the server evicts.
func TestWindow(t *testing.T) {
	parts := []part{{keys{0.01, 1e9, 1e9}, 0, 100}}
	busy := demand{observation: observation{age: 100, evicts: true}, parts: parts}
	idle := demand{observation: observation{age: 1}, parts: parts}
	want, _ := resize([]demand{busy}, 0.5, 1)
	if got, _ := resize([]demand{busy, idle}, 0.5, 1); got != want || math.IsInf(got, 1) {
		t.Errorf("with an idle class, half of the memory evicts after %v s, want %v", got, want)
	}
	if got, _ := resize([]demand{idle}, 0.5, 1); math.IsInf(got, 1) {
		t.Error("half of the memory evicts nothing")
	}
}

// TestSpareMemory checks that memory which is not in use changes nothing.
func TestSpareMemory(t *testing.T) {
	d := demand{observation: observation{age: 100}, parts: []part{{keys{0.01, 1e9, 1e9}, 0, 100}}}
	for _, factor := range []float64{0.5, 1, 4} {
		if _, more := resize([]demand{d}, factor, 0.4); more != 0 {
			t.Errorf("%v times a memory of which two fifths are in use: %v more misses, want none", factor, more)
		}
	}
	if _, more := resize([]demand{d}, 0.2, 0.4); more <= 0 {
		t.Errorf("half of the memory in use: %v more misses, want some", more)
	}
}
