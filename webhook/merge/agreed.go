package merge

import (
	"reflect"
	"slices"
)

// Agreed returns the part of an object that was applied last and that the observed one has, with the values that were applied. An apply of it changes no
// more than values that somebody else has changed: it neither adds nor removes a field or an item. The exception are lists with several items of the same
// key, which the first apply makes equal.
func Agreed(observed, last map[string]any) map[string]any {
	agreed := map[string]any{}
	for key, applied := range last {
		if value, found := observed[key]; found {
			agreed[key] = agreedValue(value, applied)
		}
	}
	return agreed
}

func agreedValue(observed, last any) any {
	switch observed := observed.(type) {
	case map[string]any:
		if last, ok := last.(map[string]any); ok {
			return Agreed(observed, last)
		}
	case []any:
		if last, ok := last.([]any); ok {
			return agreedList(observed, last)
		}
	default:
		if reflect.TypeOf(observed) == reflect.TypeOf(last) {
			return last
		}
	}
	return observed
}

// agreedList returns the items that were applied last and are observed. Without keys that tell which, an apply replaces the list.
func agreedList(observed, last []any) []any {
	key := ListKey(observed, last)
	if isAligned(key, observed, last) {
		agreed := make([]any, len(last))
		for i := range last {
			agreed[i] = agreedValue(observed[i], last[i])
		}
		return agreed
	}
	if key == "" {
		return last
	}
	applied, agreed := byKey(key, last), []any{}
	for _, item := range observed {
		if before, found := applied[keyOf(key, item)]; found {
			agreed = append(agreed, agreedValue(item, before))
		}
	}
	return agreed
}

// isAligned reports whether items at the same position may be the same. Several can have the same key: port 53 for UDP and TCP.
func isAligned(key string, observed, last []any) bool {
	return len(observed) == len(last) && (key == "" || slices.EqualFunc(observed, last, func(a, b any) bool { return keyOf(key, a) == keyOf(key, b) }))
}
