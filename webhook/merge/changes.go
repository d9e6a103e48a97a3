package merge

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is a field that has changed.
type Change struct {
	// Path is the path of the field. An item of a list has its key: containers.memcached.image.
	Path string
	// Before and After are nil if the field does not exist.
	Before, After any
}

// Changes returns the fields that have changed, in sorted order. A list whose items have no key is one field.
func Changes(before, after any) iter.Seq[Change] {
	return func(yield func(Change) bool) { walk("", before, after, yield) }
}

// Changed returns the path of the first change, and whether there is one.
func Changed(before, after any) (path string, differs bool) {
	for change := range Changes(before, after) {
		return change.Path, true
	}
	return "", false
}

// walk reports whether yield wants more changes.
func walk(path string, before, after any, yield func(Change) bool) bool {
	switch after := after.(type) {
	case map[string]any:
		if before, ok := before.(map[string]any); ok {
			return walkObject(path, before, after, yield)
		}
	case []any:
		before, ok := before.([]any)
		key := ListKey(before, after)
		if !ok || key == "" {
			break
		}
		differs := false
		more := walkObject(path, byKey(key, before), byKey(key, after), func(change Change) bool {
			differs = true
			return yield(change)
		})
		if differs {
			return more
		}
	}
	return reflect.DeepEqual(before, after) || yield(Change{path, before, after})
}

func walkObject(path string, before, after map[string]any, yield func(Change) bool) bool {
	both := map[string]any{} // either may be nil
	maps.Copy(both, before)
	maps.Copy(both, after)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		old, existed := before[key]
		value, exists := after[key]
		if path := join(path, key); existed != exists && !yield(Change{path, old, value}) || existed == exists && !walk(path, old, value, yield) {
			return false
		}
	}
	return true
}

// maxPathBytes is the maximum length of a path. Without it, 2,500 fields below a name of 1.4 MB would need 3 GB.
const maxPathBytes = 1000

// join returns the path of a field below another one; either may be "".
func join(path, below string) string {
	below = below[:min(len(below), maxPathBytes)]
	if path != "" && below != "" {
		path += "."
	}
	path += below
	return strings.ToValidUTF8(path[:min(len(path), maxPathBytes)], "")
}
