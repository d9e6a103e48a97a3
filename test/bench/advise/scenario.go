package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// scenario is a sequence of gets. A client stores each key that a server does not have.
type scenario struct {
	name string
	// exponent of Zipf's law over the ranks of keys.
	exponent float64
	// rate is the number of gets per second after the warm-up.
	rate int
	// size returns the bytes of the value of a key.
	size func(key uint64) int
	// ttl returns the seconds after which the item of a key expires; 0: never.
	ttl func(key uint64) int
	// shift is the number of gets after which a new key becomes the most popular one, and all others lose one rank; 0: never.
	shift uint64
	// memory multiplies the memory of the servers. Items of different sizes need many pages, which are 1 MiB.
	memory int
}

const keys = 1_000_000

func fixed(n int) func(uint64) int { return func(uint64) int { return n } }

var scenarios = []scenario{
	{name: "zipf-0.8", exponent: 0.8, rate: 600, size: fixed(300), ttl: fixed(0), memory: 1},
	{name: "zipf-0.9", exponent: 0.9, rate: 800, size: fixed(300), ttl: fixed(0), memory: 1},
	{name: "zipf-1.0", exponent: 1.0, rate: 1100, size: fixed(300), ttl: fixed(0), memory: 1},
	{name: "zipf-1.1", exponent: 1.1, rate: 2000, size: fixed(300), ttl: fixed(0), memory: 1},
	{name: "two-sizes", exponent: 0.9, rate: 800, ttl: fixed(0), memory: 4, size: func(key uint64) int {
		if mix(key)%5 == 0 {
			return 8000
		}
		return 400
	}},
	{name: "shifting", exponent: 0.9, rate: 800, size: fixed(300), ttl: fixed(0), memory: 1, shift: 100},
	{name: "ttl", exponent: 0.9, rate: 800, size: fixed(300), memory: 1, ttl: func(key uint64) int {
		if mix(key)%2 == 0 {
			return 150
		}
		return 0
	}},
}

// mix spreads the bits of a key, so that the properties of keys do not follow their popularity.
func mix(key uint64) uint64 {
	key *= 0x9e3779b97f4a7c15
	return key ^ key>>32
}

// generator returns the keys of a scenario, the same in each run.
type generator struct {
	scenario
	random     *rand.Rand
	cumulative []float64
	gets       uint64
}

func newGenerator(s scenario) *generator {
	g := &generator{scenario: s, random: rand.New(rand.NewPCG(1, 2)), cumulative: make([]float64, keys)}
	sum := 0.0
	for i := range g.cumulative {
		sum += math.Pow(float64(i+1), -s.exponent)
		g.cumulative[i] = sum
	}
	return g
}

func (g *generator) next() uint64 {
	rank, _ := slices.BinarySearch(g.cumulative, g.random.Float64()*g.cumulative[keys-1])
	g.gets++
	if g.shift == 0 {
		return uint64(rank)
	}
	return keys + g.gets/g.shift - uint64(rank)
}

func name(key uint64) string { return "key:" + strconv.FormatUint(mix(key), 36) }
