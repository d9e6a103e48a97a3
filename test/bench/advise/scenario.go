package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scenario is a sequence of operations. A client stores each key that a server does not have.
type scenario struct {
	name, description string
	// rate is the number of operations per second after the warm-up.
	rate int
	// next returns the next operation.
	next func(*generator) operation
	// exponent of Zipf's law, and the number of keys; 0: the keys do not follow it.
	exponent float64
	keys     int
	// size returns the bytes of the value of a key.
	size func(key uint64) int
	// ttl returns the seconds after which the item of a key expires; 0: never.
	ttl func(key uint64) int
	// memory multiplies the memory of the servers. Items of different sizes need many pages, which are 1 MiB.
	memory int
	// args are arguments of memcached.
	args []string
}

// operation is a get (g), a store (s) or a delete (d).
type operation struct {
	kind byte
	key  uint64
}

func get(key uint64) operation { return operation{'g', key} }

// capacity is the number of items of 300 bytes that the server in the middle has.
const capacity = 43_680

// zipf, uniform and loop return generators of keys.
func zipf(g *generator) operation { return get(g.rank()) }

func uniform(keys int) func(*generator) operation {
	return func(g *generator) operation { return get(g.random.Uint64N(uint64(keys))) }
}

func loop(keys int) func(*generator) operation {
	return func(g *generator) operation { return get(g.count % uint64(keys)) }
}

// often replaces a part of the operations.
func often(part float64, other, usual func(*generator) operation) func(*generator) operation {
	return func(g *generator) operation {
		if g.random.Float64() < part {
			return other(g)
		}
		return usual(g)
	}
}

// scan requests keys that were never requested before.
func scan(g *generator) operation { return get(1<<40 + g.count) }

// set stores, and remove deletes a key of Zipf's law.
func set(g *generator) operation    { return operation{'s', g.rank()} }
func remove(g *generator) operation { return operation{'d', g.rank()} }

// write stores keys that are never requested.
func write(g *generator) operation { return operation{'s', 1<<41 + g.count} }

// phases changes the population each seconds: of count populations, the ranks are those of one.
func phases(rate, seconds, count int, usual func(*generator) operation) func(*generator) operation {
	return func(g *generator) operation {
		o := usual(g)
		o.key += g.count / uint64(rate*seconds) % uint64(count) << 32
		return o
	}
}

// shifting makes a new key the most popular one after some gets.
func shifting(gets uint64) func(*generator) operation {
	return func(g *generator) operation { return get(1<<30 + g.count/gets - g.rank()) }
}

func half(n int) func(uint64) int {
	return func(key uint64) int {
		if mix(key)%2 == 0 {
			return n
		}
		return 0
	}
}

// scenarios are in two halves. The rules of advise were chosen with the half "fit" alone.
var scenarios = map[string][]scenario{
	"fit": {
		{name: "zipf-0.7", description: "Zipf, exponent 0.7", exponent: 0.7, next: zipf},
		{name: "zipf-1.0", description: "Zipf, exponent 1.0", exponent: 1.0, next: zipf},
		{name: "zipf-fits", description: "Zipf, exponent 0.9, all items fit", exponent: 0.9, keys: capacity * 9 / 10, next: zipf},
		{name: "loop-long", description: "a loop over 4 times the items that fit", next: loop(capacity * 4)},
		{name: "loop-fits", description: "a loop over 0.9 times the items that fit", next: loop(capacity * 9 / 10)},
		{name: "scan", description: "Zipf, exponent 1.0, and a fifth of the gets for new keys", exponent: 1.0, next: often(0.2, scan, zipf)},
		{name: "jumping", description: "another hot set every 3 minutes", exponent: 0.9, keys: capacity * 2, next: phases(600, 180, 1000, zipf)},
		{name: "alternating-fits", description: "two populations, each for 2 minutes, all items fit", exponent: 0.9, keys: capacity * 4 / 10, next: phases(600, 120, 2, zipf)},
		{name: "overwrites", description: "Zipf, exponent 0.9, 20 % stores and 5 % deletes", exponent: 0.9, next: often(0.2, set, often(0.05, remove, zipf))},
		{name: "never-read", description: "Zipf, exponent 1.0, and a fifth of stores that no client reads", exponent: 1.0, next: often(0.2, write, zipf)},
		{name: "temporary", description: "Zipf, exponent 0.9, half of the keys in the temporary LRU for 45 s", exponent: 0.9, next: zipf, ttl: half(45), args: []string{"-o", "temporary_ttl=61"}},
		{name: "flat-fits", description: "uniform, a flat LRU, all items fit", next: uniform(capacity * 9 / 10), args: flat},
		{name: "two-sizes", description: "Zipf, exponent 0.9, values of 400 and of 8,000 bytes", exponent: 0.9, next: zipf, memory: 4, size: func(key uint64) int {
			if mix(key)%5 == 0 {
				return 8000
			}
			return 400
		}},
	},
	"check": {
		{name: "zipf-0.8", description: "Zipf, exponent 0.8", exponent: 0.8, next: zipf},
		{name: "zipf-1.1", description: "Zipf, exponent 1.1", exponent: 1.1, next: zipf, rate: 1200},
		{name: "uniform", description: "uniform, 1.8 times the items that fit", next: uniform(capacity * 18 / 10)},
		{name: "uniform-fits", description: "uniform, all items fit", next: uniform(capacity * 8 / 10)},
		{name: "loop", description: "a loop over 1.6 times the items that fit", next: loop(capacity * 16 / 10)},
		{name: "loop-small", description: "a loop over 0.45 times the items that fit", next: loop(capacity * 45 / 100)},
		{name: "scan-loop", description: "Zipf, exponent 1.0, and a quarter of the gets in a loop", exponent: 1.0, next: often(0.25, loop(capacity*15/10), zipf)},
		{name: "shifting", description: "a new most popular key every 60 gets", exponent: 1.0, next: shifting(60)},
		{name: "alternating", description: "two populations, each for 90 s", exponent: 1.0, next: phases(600, 90, 2, zipf)},
		{name: "overwrites-fits", description: "Zipf, exponent 0.8, 20 % stores, all items fit", exponent: 0.8, keys: capacity * 95 / 100, next: often(0.2, set, zipf)},
		{name: "ttl", description: "Zipf, exponent 1.0, half of the keys expire after 100 s", exponent: 1.0, next: zipf, ttl: half(100)},
		{name: "flat", description: "Zipf, exponent 1.0, a flat LRU", exponent: 1.0, next: zipf, args: flat},
	},
}

// fromFile returns a scenario with the keys of a file, one a line, in a loop.
func fromFile(file string) (s scenario, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	lines := strings.Fields(string(content))
	next := func(g *generator) operation {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(lines[g.count%uint64(len(lines))]))
		return get(hash.Sum64())
	}
	return scenario{name: "file", description: "keys of " + filepath.Base(file), next: next, rate: 100}, nil
}

// flat is an LRU without segments.
var flat = []string{"-o", "no_lru_maintainer"}

// mix spreads the bits of a key, so that the properties of keys do not follow their popularity.
func mix(key uint64) uint64 {
	key *= 0x9e3779b97f4a7c15
	return key ^ key>>32
}

// generator returns the operations of a scenario, the same in each run.
type generator struct {
	scenario
	random     *rand.Rand
	cumulative []float64
	count      uint64
}

func newGenerator(s scenario) *generator {
	g := &generator{scenario: s.withDefaults(), random: rand.New(rand.NewPCG(1, uint64(len(s.description))))}
	sum := 0.0
	for i := range g.keys {
		sum += math.Pow(float64(i+1), -g.exponent)
		g.cumulative = append(g.cumulative, sum)
	}
	return g
}

func (s scenario) withDefaults() scenario {
	s.memory = max(s.memory, 1)
	if s.rate == 0 {
		s.rate = 600
	}
	if s.keys == 0 && s.exponent > 0 {
		s.keys = 500_000
	}
	if s.size == nil {
		s.size = func(uint64) int { return 300 }
	}
	if s.ttl == nil {
		s.ttl = func(uint64) int { return 0 }
	}
	return s
}

func (g *generator) next() operation {
	g.count++
	return g.scenario.next(g)
}

// rank returns a rank of Zipf's law.
func (g *generator) rank() uint64 {
	rank, _ := slices.BinarySearch(g.cumulative, g.random.Float64()*g.cumulative[len(g.cumulative)-1])
	return uint64(rank)
}

func name(key uint64) string { return "key:" + strconv.FormatUint(mix(key), 36) }
