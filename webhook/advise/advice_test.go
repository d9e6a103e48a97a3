package advise_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/memcached/client"
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
			General: advise.Values{"time": text(now - 60), "cmd_get": "0", "get_hits": "0", "get_misses": "0", "cmd_set": "0", "evictions": "0"},
			Items:   advise.Values{}, Slabs: advise.Values{},
		},
		After: advise.Reading{
			General: advise.Values{"time": text(now), "version": "1.6.45", "cmd_get": "1000", "limit_maxbytes": text(64 << 20), "bytes": text(60_000_000),
				"curr_items": "60000", "max_connections": "1024", "curr_connections": "10", "threads": "4"},
			Items: advise.Values{}, Slabs: advise.Values{"total_malloced": text(64 << 20)},
		},
		Listing: &advise.Listing{Time: now, Complete: true, Classes: map[int]*advise.ListedClass{}},
	}
	for _, c := range append([]change{class(1, 60_000, 1000, 1000), list(60, true)}, changes...) {
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

// list replaces the 60,000 items of class 1 in the listing.
func list(idle int, fetched bool) change {
	return func(s *advise.Sample) {
		delete(s.Listing.Classes, 1)
		for range 60_000 {
			s.Listing.Add(client.Item{Expires: -1, Accessed: int64(now - idle), Fetched: fetched, Class: 1, Size: 1000})
		}
	}
}

func general(name, value string) change {
	return func(s *advise.Sample) { s.After.General[name] = value }
}

func item(name string, before, after int) change {
	return func(s *advise.Sample) { s.Before.Items[name], s.After.Items[name] = text(before), text(after) }
}

func TestAdvice(t *testing.T) {
	cases := []struct {
		reason  string
		changes []change
		want    []string
	}{
		{"nothing to change", nil, nil},
		{"items that no client reads", []change{list(600, false)}, []string{"NeverRead"}},
		{"young items that no client has read yet", []change{list(5, false)}, nil},
		{"items that are idle for a day", []change{list(90_000, true)}, []string{"Idle"}},
		{"chunks that are much larger than items", []change{class(1, 60_000, 800, 1000)}, []string{"Chunks"}},
		{"a class that evicts while another keeps old items", []change{class(2, 8_000, 2000, 2000), item("items:2:evicted", 0, 50), item("items:2:age", 20, 20)}, []string{"Classes"}},
		{"classes that both keep old items", []change{class(2, 8_000, 2000, 2000)}, nil},
		{"most connections are open", []change{general("curr_connections", "900")}, []string{"Connections"}},
		{"connections are refused", []change{general("listen_disabled_num", "7")}, []string{"Connections"}},
		{"threads without CPU time left", []change{general("rusage_user", "150"), general("rusage_system", "60")}, []string{"Threads"}},
		{"small items", []change{general("curr_items", "600000")}, []string{"Overhead"}},
		{"large items", []change{general("curr_items", "6000")}, []string{"Overhead"}},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			// overheadPercent 2 is right for items of 1,000 bytes.
			cache := &v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{OverheadPercent: new(int64(2))}}}
			var got []string
			for _, a := range advise.Of([]*advise.Sample{sampleOf(test.changes...)}, cache).Advice {
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
		"a cache without a limit": {&v1alpha1.Memcached{}, "spec:\n  cache:\n    maxConnections: 2048\n"},
		"a cache with a limit":    {limited, "spec:\n  cache:\n    maxConnections: 2048\n  resources:\n    limits:\n      memory: 127Mi\n"},
	} {
		advice := advise.Of([]*advise.Sample{sampleOf(general("curr_connections", "900"))}, test.cache).Advice
		if diff := cmp.Diff(test.want, advice[0].YAML); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", reason, diff)
		}
	}
}

// TestMaximum checks that no advice exceeds the maximum of a field, and that it has no YAML if the field has it already.
func TestMaximum(t *testing.T) {
	busy := sampleOf(general("curr_connections", "900000"), general("max_connections", "900000"), general("threads", "64"), general("rusage_user", "3840"))
	cache := &v1alpha1.Memcached{Spec: v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{OverheadPercent: new(int64(2)), Threads: new(int32(64))}}}
	cache.Spec.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("5Gi")}
	for most, want := range map[int64][]string{1024: {"Connections 1000000", "Threads"}, 1_000_000: {"Connections", "Threads"}} {
		cache.Spec.Cache.MaxConnections = new(most)
		var got []string
		for _, a := range advise.Of([]*advise.Sample{busy}, cache).Advice {
			_, after, _ := strings.Cut(a.YAML, "maxConnections: ")
			value, _, _ := strings.Cut(after, "\n")
			if got = append(got, strings.TrimSpace(a.Name+" "+value)); value == "" && a.YAML != "" {
				t.Errorf("%s changes no field, but has the YAML %s", a.Name, a.YAML)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("maxConnections %d: (-want +got)\n%s", most, diff)
		}
	}
}

// TestNoCurve checks that a report says why it does not predict.
func TestNoCurve(t *testing.T) {
	few := sampleOf()
	unlisted := sampleOf(func(s *advise.Sample) { s.Listing, s.NoListing = nil, "memcached with SASL" })
	changed := sampleOf(general("cmd_get", "9000"), general("get_misses", "6000"), general("cmd_set", "6000"))
	flash := sampleOf(func(s *advise.Sample) { s.Listing.Add(client.Item{Class: 1, Flash: true}) })
	for want, sample := range map[string]*advise.Sample{"on flash": flash, "too few": few, "memcached with SASL": unlisted, "the gets have changed": changed} {
		if whole := advise.Of([]*advise.Sample{sample}, nil).Whole; whole.Curve != nil || !strings.Contains(whole.NoCurve, want) {
			t.Errorf("got a curve of %d points and the reason %q, want %q", len(whole.Curve), whole.NoCurve, want)
		}
	}
}
