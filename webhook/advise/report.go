package advise

import (
	"math"
	"strings"
	"time"

	humanduration "k8s.io/apimachinery/pkg/util/duration"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Report is what samples show, and what follows from it.
type Report struct {
	Servers []Server `json:"servers"`
	// Whole has the sums over the servers. Its address is empty.
	Whole  Server   `json:"whole"`
	Advice []Advice `json:"advice"`
}

// Server is what was measured at a server, and predicted from it. Rates are per second of the interval.
type Server struct {
	Address         string  `json:"address,omitempty"`
	Version         string  `json:"version,omitempty"`
	IntervalSeconds float64 `json:"intervalSeconds"`
	// MemoryBytes is the memory for items, UsedBytes the part of it that slab classes use, and ItemBytes the size of the items.
	MemoryBytes float64 `json:"memoryBytes"`
	UsedBytes   float64 `json:"usedBytes"`
	ItemBytes   float64 `json:"itemBytes"`
	Items       float64 `json:"items"`
	Gets        float64 `json:"getsPerSecond"`
	Sets        float64 `json:"setsPerSecond"`
	Evictions   float64 `json:"evictionsPerSecond"`
	HitRatio    float64 `json:"hitRatio"`
	// WindowSeconds is the age at which items are evicted that no client gets; 0 if none are evicted.
	WindowSeconds float64 `json:"windowSeconds"`
	// ListedItems is the number of items of the listing. Complete reports whether these are all.
	ListedItems float64 `json:"listedItems"`
	Complete    bool    `json:"listingComplete"`
	Curve       []Point `json:"curve,omitempty"`
	// NoCurve is why there is no curve.
	NoCurve string `json:"noCurve,omitempty"`
}

// Of returns the report of samples. cache is nil if the servers are not those of a known Memcached.
func Of(samples []*Sample, cache *v1alpha1.Memcached) Report {
	var r Report
	var curves [][]Point
	var gets []float64
	var reasons []string
	w := &r.Whole
	w.Complete = true
	for _, sample := range samples {
		s := sample.server()
		r.Servers = append(r.Servers, s)
		curves, gets = append(curves, s.Curve), append(gets, s.Gets)
		w.HitRatio += s.HitRatio * s.Gets
		for _, field := range []struct{ sum, part *float64 }{
			{&w.MemoryBytes, &s.MemoryBytes}, {&w.UsedBytes, &s.UsedBytes}, {&w.ItemBytes, &s.ItemBytes}, {&w.Items, &s.Items},
			{&w.Gets, &s.Gets}, {&w.Sets, &s.Sets}, {&w.Evictions, &s.Evictions}, {&w.ListedItems, &s.ListedItems},
		} {
			*field.sum += *field.part
		}
		w.IntervalSeconds = max(w.IntervalSeconds, s.IntervalSeconds)
		w.Complete = w.Complete && s.Complete
		if s.WindowSeconds > 0 && (w.WindowSeconds == 0 || s.WindowSeconds < w.WindowSeconds) {
			w.WindowSeconds = s.WindowSeconds
		}
		if s.NoCurve != "" {
			reasons = append(reasons, s.Address+": "+s.NoCurve)
		}
	}
	if w.Gets > 0 {
		w.HitRatio /= w.Gets
	}
	w.NoCurve = strings.Join(reasons, ". ")
	w.Curve = sum(curves, gets)
	r.Advice = advice(samples, *w, cache)
	return r
}

func (s *Sample) server() Server {
	general := s.After.General.number
	v := Server{
		Address: s.Address, Version: s.After.General["version"], IntervalSeconds: s.Seconds,
		MemoryBytes: general("limit_maxbytes"), UsedBytes: s.After.Slabs.number("total_malloced"), ItemBytes: general("bytes"), Items: general("curr_items"),
		Gets: s.rate("cmd_get"), Sets: s.rate("cmd_set"), Evictions: s.rate("evictions"),
	}
	if v.Gets > 0 {
		v.HitRatio = s.rate("get_hits") / v.Gets
	}
	if age := s.age(); !math.IsInf(age, 1) {
		v.WindowSeconds = age
	}
	if s.Listing != nil {
		v.Complete = s.Listing.Complete
		for _, class := range s.Listing.Classes {
			v.ListedItems += class.Items
		}
	}
	v.Curve, v.NoCurve = s.curve()
	return v
}

// duration returns seconds for people, such as 7m10s.
func duration(seconds float64) string {
	if math.IsInf(seconds, 1) || seconds > 1e9 {
		return "forever"
	}
	return humanduration.HumanDuration(time.Duration(seconds * float64(time.Second)))
}
