package advise

import "math"

// loads are written by go test ./test/bench/advise -update.
var loads = []load{
	{name: "alternating-fits", hit: 100.0, half: 88.0, halfError: -1.5, twiceError: 0.0},
	{name: "flat-fits", hit: 100.0, half: 54.9, halfError: -0.8, twiceError: 0.0},
	{name: "jumping", hit: 69.1, half: 65.6, halfError: -0.1, twiceError: -0.1},
	{name: "loop-fits", hit: 100.0, half: 0.0, halfError: 0.0, twiceError: 0.0},
	{name: "loop-long", hit: 0.0, half: 0.0, halfError: 0.0, twiceError: 0.0},
	{name: "never-read", hit: 72.8, half: 67.2, halfError: -0.2, twiceError: -0.6},
	{name: "overwrites", hit: 59.4, half: 52.2, halfError: 0.8, twiceError: 0.4},
	{name: "scan", hit: 58.2, half: 54.2, halfError: 0.3, twiceError: 0.1},
	{name: "temporary", hit: 56.8, half: 52.2, halfError: 0.9, twiceError: -0.6},
	{name: "two-sizes", hit: 59.9, half: 53.2, halfError: 1.2, twiceError: -0.7},
	{name: "zipf-0.7", hit: 36.0, half: 27.6, halfError: 1.5, twiceError: -1.6},
	{name: "zipf-1.0", hit: 77.0, half: 71.0, halfError: -0.2, twiceError: -0.2},
	{name: "zipf-fits", hit: 99.9, half: 88.4, halfError: -0.3, twiceError: -0.0},
	{name: "alternating", hit: 55.4, half: 52.3, halfError: 2.2, twiceError: -0.4},
	{name: "flat", hit: 60.6, half: 50.9, halfError: 0.3, twiceError: 0.1},
	{name: "loop-small", hit: 100.0, half: 100.0, halfError: 0.0, twiceError: 0.0},
	{name: "loop", hit: 0.0, half: 0.0, halfError: 0.0, twiceError: -1.0},
	{name: "overwrites-fits", hit: 99.9, half: 86.5, halfError: -1.8, twiceError: 0.0},
	{name: "scan-loop", hit: 51.3, half: 42.8, halfError: 1.6, twiceError: -0.4},
	{name: "shifting", hit: 63.3, half: 56.5, halfError: 1.2, twiceError: -1.0},
	{name: "ttl", hit: 59.9, half: 52.7, halfError: -0.3, twiceError: -0.8},
	{name: "uniform-fits", hit: 100.0, half: 55.3, halfError: -0.4, twiceError: 0.0},
	{name: "uniform", hit: 66.8, half: 36.4, halfError: 2.9, twiceError: math.NaN()},
	{name: "zipf-0.9", hit: 63.5, half: 55.7, halfError: 0.4, twiceError: -0.6},
	{name: "zipf-1.2", hit: 94.0, half: 91.8, halfError: -0.3, twiceError: math.NaN()},
}
