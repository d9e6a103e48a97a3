package server

import "cmp"

// Limits are the limits of all requests together. Each zero field means the default.
type Limits struct {
	// MaxBodyBytes is the largest size of a request's body. A larger body gets 413.
	MaxBodyBytes int64
	// MaxConnections is the largest number of connections of callers.
	MaxConnections int
	// MaxHeapBytes is the largest size of the live heap at which large bodies are read; for smaller ones it is up to half as much again. Above
	// the limit a request gets 429, or 413 if no other request is large.
	MaxHeapBytes int64
}

// DefaultLimits returns the limits that a zero field means.
func DefaultLimits() Limits { return defaultLimits }

var defaultLimits = Limits{
	// A pod with its managedFields has about 8 kB, so a parent can have several thousand pods.
	MaxBodyBytes: 64 << 20,
	// Metacontroller has 40 workers. A connection with TLS and unfinished headers needs up to 200 KiB.
	MaxConnections: 256,
	// With 80 MiB the heap of a hostile request (test/faults) peaks near 200 MiB; the pod's limit is 256 MiB. Two syncs of 8,000
	// pods at the same time peak at 43 MiB.
	MaxHeapBytes: 64 << 20,
}

func (l Limits) withDefaults() Limits {
	return Limits{
		MaxBodyBytes:   cmp.Or(l.MaxBodyBytes, defaultLimits.MaxBodyBytes),
		MaxConnections: cmp.Or(l.MaxConnections, defaultLimits.MaxConnections),
		MaxHeapBytes:   cmp.Or(l.MaxHeapBytes, defaultLimits.MaxHeapBytes),
	}
}
