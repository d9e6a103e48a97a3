package advise

import (
	"strings"
	"time"

	humanduration "k8s.io/apimachinery/pkg/util/duration"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/text"
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
	// HalfSeconds is the age of the item that was used last of those that half of the memory would not have.
	HalfSeconds float64 `json:"halfSeconds"`
	// LoggedGets is the number of gets in the log, and KeyPart the part of all keys that were followed.
	LoggedGets float64 `json:"loggedGets"`
	KeyPart    float64 `json:"keyPart"`
	Curve      []Point `json:"curve,omitempty"`
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
	w.KeyPart = 1
	for _, sample := range samples {
		s := sample.server()
		r.Servers = append(r.Servers, s)
		curves, gets = append(curves, s.Curve), append(gets, s.Gets)
		w.HitRatio += s.HitRatio * s.Gets
		for _, field := range []struct{ sum, part *float64 }{
			{&w.MemoryBytes, &s.MemoryBytes}, {&w.UsedBytes, &s.UsedBytes}, {&w.ItemBytes, &s.ItemBytes}, {&w.Items, &s.Items},
			{&w.Gets, &s.Gets}, {&w.Sets, &s.Sets}, {&w.Evictions, &s.Evictions}, {&w.LoggedGets, &s.LoggedGets},
		} {
			*field.sum += *field.part
		}
		w.IntervalSeconds = max(w.IntervalSeconds, s.IntervalSeconds)
		w.HalfSeconds = max(w.HalfSeconds, s.HalfSeconds)
		w.KeyPart = min(w.KeyPart, s.KeyPart)
		if s.NoCurve != "" {
			reasons = append(reasons, s.Address+": "+s.NoCurve)
		}
	}
	w.HitRatio /= max(1e-9, w.Gets)
	w.NoCurve = strings.Join(reasons, ". ")
	if w.NoCurve == "" {
		w.Curve = sum(curves, gets)
	}
	r.Advice = advice(situation{samples, *w, cache})
	return r
}

func (s *Sample) server() Server {
	general := s.After.General.number
	v := Server{
		Address: s.Address, Version: text.Value(s.After.General["version"]), IntervalSeconds: s.Seconds,
		MemoryBytes: general("limit_maxbytes"), UsedBytes: s.After.Slabs.number("total_malloced"), ItemBytes: general("bytes"), Items: general("curr_items"),
		Gets: s.rate("cmd_get"), Sets: s.rate("cmd_set"), Evictions: s.rate("evictions"), HitRatio: s.hitRatio(),
		HalfSeconds: s.age(0.5 / s.fullness()),
	}
	if s.Trace != nil {
		v.LoggedGets, v.KeyPart = float64(s.Trace.Gets), s.Trace.Part
	}
	v.Curve, v.NoCurve = s.curve()
	return v
}

// duration returns seconds for people, such as 7m10s.
func duration(seconds float64) string {
	return humanduration.HumanDuration(time.Duration(seconds * float64(time.Second)))
}
