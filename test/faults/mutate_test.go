package faults

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutateBytes changes a body like a broken network or a broken client.
func mutateBytes(random *rand.Rand, whole []byte) []byte {
	body := slices.Clone(whole)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(body))
		end := min(len(body), at+1+random.IntN(200))
		switch random.IntN(5) {
		case 0: // a bit flips
			body[at] ^= 1 << random.IntN(8)
		case 1: // a part is missing
			body = slices.Delete(body, at, end)
		case 2: // a part is duplicated
			body = slices.Insert(body, at, slices.Clone(body[at:end])...)
		case 3: // a structural character replaces a byte
			body[at] = `{}[]",:0 `[random.IntN(9)]
		case 4: // two parts swap
			middle := at + (end-at)/2
			body = slices.Concat(body[:at], body[middle:end], body[at:middle], body[end:])
		}
		if len(body) == 0 {
			return body
		}
	}
	return body
}

// mutateMember changes one member of an object in the request. The result is valid JSON.
func mutateMember(random *rand.Rand, whole []byte) []byte {
	var request any
	if err := json.Unmarshal(whole, &request); err != nil {
		panic(err)
	}
	var objects []map[string]any
	collect(request, &objects)
	object := objects[random.IntN(len(objects))]
	if random.IntN(4) == 0 { // near the root, where changes have the most effect
		object = objects[random.IntN(min(len(objects), 8))]
	}
	keys := slices.Sorted(maps.Keys(object))
	if len(keys) == 0 {
		return whole
	}
	key := keys[random.IntN(len(keys))]
	switch random.IntN(4) {
	case 0:
		delete(object, key)
	case 1:
		object[strings.ToUpper(key[:1])+key[1:]+"x"[:random.IntN(2)]] = object[key]
		delete(object, key)
	default:
		object[key] = []any{nil, map[string]any{}, []any{}, "", "x", 0, -1, 1e300, true, map[string]any{"x": nil}}[random.IntN(10)]
	}
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// collect appends the objects of a value in a stable order, outer objects first.
func collect(value any, objects *[]map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		*objects = append(*objects, value)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			collect(value[key], objects)
		}
	case []any:
		for _, element := range value {
			collect(element, objects)
		}
	}
}
