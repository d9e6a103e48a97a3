package main

import (
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"os"

	"github.com/example/memcached-operator/webhook/advise"
)

// recording is what advise read from servers with half, once and twice the memory.
type recording struct {
	Scenario, Description string
	Samples               []*advise.Sample
	// Columns is the trace of the server in the middle, which predicts the hit ratios of the others.
	Columns columns
}

const middle = 1

// columns are a trace with times in seconds and with numbers of keys, so that its file is small. The items have the first numbers.
type columns struct {
	ItemAges, Keys                                     []uint32
	ItemClasses, Fetched, EventClasses, Kinds, Seconds []byte
}

// unpack sets the items and the events of a trace.
func (c columns) unpack(t *advise.Trace) {
	for i, age := range c.ItemAges {
		t.Items = append(t.Items, advise.Item{Key: uint64(i), Class: c.ItemClasses[i], Fetched: c.Fetched[i] == 1, Age: age})
	}
	second := uint32(0)
	for i, key := range c.Keys {
		second += uint32(c.Seconds[i])
		t.Events = append(t.Events, advise.Event{Key: uint64(key), Millis: 1000 * second, Kind: advise.EventKind(c.Kinds[i]), Class: c.EventClasses[i]})
	}
}

func readRecording(file string) (r recording, err error) {
	f, err := os.Open(file)
	if err != nil {
		return r, err
	}
	defer f.Close()
	compressed, err := gzip.NewReader(f)
	if err == nil {
		err = gob.NewDecoder(compressed).Decode(&r)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	r.Columns.unpack(r.Samples[middle].Trace)
	return r, nil
}
