package main

import (
	"cmp"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"slices"

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

// write writes a recording with the trace of one of n keys.
func (r recording) write(file string, n uint64) error {
	for i, s := range r.Samples {
		if s.Trace == nil {
			return fmt.Errorf("%s: %s", s.Address, s.NoTrace)
		}
		if i == middle {
			r.Columns = pack(s.Trace, n)
			s.Trace.Part /= float64(n)
			s.Trace.Items, s.Trace.Events = nil, nil
		} else {
			s.Trace, s.NoTrace = nil, "the log was not recorded"
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err == nil {
		err = gob.NewEncoder(w).Encode(r)
	}
	return errors.Join(err, w.Close(), f.Close())
}

func pack(t *advise.Trace, n uint64) (c columns) {
	numbers := map[uint64]uint32{}
	number := func(key uint64) uint32 {
		if _, ok := numbers[key]; !ok {
			numbers[key] = uint32(len(numbers))
		}
		return numbers[key]
	}
	slices.SortFunc(t.Items, func(a, b advise.Item) int { return cmp.Compare(a.Age, b.Age) })
	for _, item := range t.Items {
		if item.Key%n != 0 {
			continue
		}
		number(item.Key)
		fetched := byte(0)
		if item.Fetched {
			fetched = 1
		}
		c.ItemAges, c.ItemClasses, c.Fetched = append(c.ItemAges, item.Age), append(c.ItemClasses, item.Class), append(c.Fetched, fetched)
	}
	last := uint32(0)
	for _, e := range t.Events {
		if e.Key%n == 0 {
			second := max(last, e.Millis/1000)
			c.Keys, c.EventClasses = append(c.Keys, number(e.Key)), append(c.EventClasses, e.Class)
			c.Kinds, c.Seconds = append(c.Kinds, byte(e.Kind)), append(c.Seconds, byte(second-last))
			last = second
		}
	}
	return c
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
