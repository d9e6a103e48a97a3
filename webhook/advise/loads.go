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
	{name: "zipf-fits", hit: 99.9, half: 88.4, halfError: -0.3, twiceError: 0.0},
	{name: "alternating", hit: 70.9, half: 66.3, halfError: 0.0, twiceError: 0.4},
	{name: "flat", hit: 75.5, half: 68.8, halfError: 0.2, twiceError: 0.1},
	{name: "loop-small", hit: 100.0, half: 100.0, halfError: 0.0, twiceError: 0.0},
	{name: "loop", hit: 0.0, half: 0.0, halfError: 0.0, twiceError: -0.5},
	{name: "overwrites-fits", hit: 100.0, half: 81.6, halfError: -0.2, twiceError: 0.0},
	{name: "scan-loop", hit: 69.9, half: 57.3, halfError: 1.4, twiceError: 0.5},
	{name: "shifting", hit: 74.7, half: 69.2, halfError: 0.0, twiceError: 0.8},
	{name: "ttl", hit: 71.9, half: 68.8, halfError: 1.0, twiceError: math.NaN()},
	{name: "uniform-fits", hit: 100.0, half: 63.1, halfError: 0.5, twiceError: 0.0},
	{name: "zipf-0.8", hit: 49.1, half: 39.8, halfError: 0.0, twiceError: -1.1},
	{name: "zipf-1.1", hit: 87.7, half: 83.5, halfError: -0.4, twiceError: 0.2},
}
