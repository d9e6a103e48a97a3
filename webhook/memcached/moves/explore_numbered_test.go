package moves

import "hash/maphash"

// numbered has values, each once, with numbers from 0 in the order in which they were added. A map from hashes to numbers takes a fraction of the
// memory, and time, of one whose keys are values of hundreds of bytes.
type numbered[T comparable] struct {
	values  []T
	numbers map[uint64]int32
	seed    maphash.Seed
}

func newNumbered[T comparable]() *numbered[T] {
	return &numbered[T]{numbers: map[uint64]int32{}, seed: maphash.MakeSeed()}
}

// find returns the number of a value, or the key of a new one. Values with equal hashes have the following keys.
func (n *numbered[T]) find(value T) (number int32, key uint64, found bool) {
	for key = maphash.Comparable(n.seed, value); ; key++ {
		if number, found = n.numbers[key]; !found || n.values[number] == value {
			return number, key, found
		}
	}
}

func (n *numbered[T]) has(value T) bool {
	_, _, found := n.find(value)
	return found
}

// add returns the number of a value, and whether it was there before.
func (n *numbered[T]) add(value T) (number int32, found bool) {
	number, key, found := n.find(value)
	if !found {
		number = int32(len(n.values))
		n.numbers[key], n.values = number, append(n.values, value)
	}
	return number, found
}
