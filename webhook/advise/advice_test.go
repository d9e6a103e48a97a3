package advise_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// now is the time of the second reading.
const now = 1_000_000

// change changes a sample.
type change func(*advise.Sample)

// sampleOf returns a full server of 64 MiB with 10,000 gets in a minute, and 60,000 items of 1,000 bytes in one class.
func sampleOf(changes ...change) *advise.Sample {
	s := &advise.Sample{
		Address: "10.0.0.1:11211", Seconds: 60, Settings: advise.Values{"lru_segmented": "yes", "slab_automove": "1"},
		Before: advise.Reading{
			General: advise.Values{"time": text(now - 60), "cmd_get": "0", "get_hits": "0", "evictions": "0", "bytes": text(60_000_000)},
			Items:   advise.Values{}, Slabs: advise.Values{},
		},
		After: advise.Reading{
			General: advise.Values{"time": text(now), "version": "1.6.45", "cmd_get": "1000", "evictions": "0", "uptime": "90000", "limit_maxbytes": text(64 << 20), "bytes": text(60_000_000),
				"curr_items": "60000", "max_connections": "1024", "curr_connections": "10", "threads": "4"},
			Items: advise.Values{}, Slabs: advise.Values{"total_malloced": text(64 << 20)},
		},
		NoTrace: "memcached with SASL",
	}
	for _, c := range append([]change{class(1, 60_000, 1000, 1000)}, changes...) {
		c(s)
	}
	return s
}

func text(n int) string { return strconv.Itoa(n) }

// class adds a slab class with items of a size in chunks.
func class(id, items, size, chunk int) change {
	return func(s *advise.Sample) {
		for name, value := range map[string]int{"number": items, "mem_requested": items * size, "age": 600} {
			s.After.Items[fmt.Sprintf("items:%d:%s", id, name)] = text(value)
			s.Before.Items[fmt.Sprintf("items:%d:age", id)] = "600"
		}
		for name, value := range map[string]int{"used_chunks": items, "chunk_size": chunk, "total_pages": items * chunk >> 20} {
			s.After.Slabs[fmt.Sprintf("%d:%s", id, name)] = text(value)
		}
	}
}

func general(name, value string) change {
	return func(s *advise.Sample) { s.After.General[name] = value }
}

// used changes the memory that slab classes use, and grows the size of the items at the start.
func used(bytes int) change {
	return func(s *advise.Sample) { s.After.Slabs["total_malloced"] = text(bytes) }
}

func grows(bytes int) change {
	return func(s *advise.Sample) { s.Before.General["bytes"] = text(60_000_000 - bytes) }
}

func TestAdvice(t *testing.T) {
	cases := []struct {
		reason  string
		changes []change
		want    []string
	}{
		{"a full server without a log", nil, []string{"Unknown"}},
		{"chunks that are much larger than items", []change{class(1, 60_000, 800, 1000)}, []string{"Unknown", "Chunks"}},
		{"a server that uses 12 % of its memory", []change{used(8 << 20)}, []string{"Reduce"}},
		{"a server that started a minute ago", []change{used(8 << 20), general("uptime", "60")}, []string{"Young"}},
		{"a server without items", []change{used(0), general("curr_items", "0")}, []string{"Young"}},
		{"a server that uses 88 % of its memory", []change{used(56 << 20)}, []string{"Keep"}},
		{"a server that fills its memory in an hour", []change{used(8 << 20), grows(1 << 20)}, []string{"Filling"}},
		{"a server that evicts although pages are free", []change{used(8 << 20), general("evictions", "5")}, []string{"Unknown"}},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			var got []string
			for _, a := range advise.Of([]*advise.Sample{sampleOf(test.changes...)}, &v1alpha1.Memcached{}).Advice {
				if got = append(got, a.Name); a.Evidence == "" {
					t.Errorf("%s has no evidence", a.Name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

// TestYAML checks that a change of a cache with a memory limit has the limit that it needs.
func TestYAML(t *testing.T) {
	limited := &v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("123Mi")}}}}
	for reason, test := range map[string]struct {
		cache *v1alpha1.Memcached
		want  string
	}{
		"a cache without a limit": {&v1alpha1.Memcached{}, "spec:\n  cache:\n    memory: 16Mi\n"},
		"a cache with a limit":    {limited, "spec:\n  cache:\n    memory: 16Mi\n  resources:\n    limits:\n      memory: 70Mi\n"},
	} {
		advice := advise.Of([]*advise.Sample{sampleOf(used(8 << 20))}, test.cache).Advice
		if diff := cmp.Diff(test.want, advice[0].YAML); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", reason, diff)
		}
	}
}

// TestVersionIsPrintable checks that no terminal executes what a server says about itself.
func TestVersionIsPrintable(t *testing.T) {
	report := advise.Of([]*advise.Sample{sampleOf(general("version", "1.6\x1b[2J\u202e"))}, &v1alpha1.Memcached{})
	if got, want := report.Servers[0].Version, "1.6 [2J "; got != want {
		t.Errorf("version %q, want %q", got, want)
	}
}
