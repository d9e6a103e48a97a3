package merge

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Apply returns an observed object after Metacontroller has applied a desired one: a three-way merge of the observed object, the object
// that was applied last, and the desired object. It modifies no argument, but the result shares values with the desired object.
//
// A field that was applied last and is no longer desired is removed. Lists whose items all have the same key are merged item by item.
// All other lists are replaced. An object in place of which another type is desired stays, and a list becomes null.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/dynamic/apply/apply.go
func Apply(observed, last, desired map[string]any) map[string]any {
	merged := runtime.DeepCopyJSON(observed)
	mergeObject(merged, last, desired)
	return merged
}

func mergeObject(object, last, desired map[string]any) {
	for key := range last {
		if _, kept := desired[key]; !kept {
			delete(object, key)
		}
	}
	for key, value := range desired {
		object[key] = mergeValue(object[key], last[key], value)
	}
}

func mergeValue(value, last, desired any) any {
	switch value := value.(type) {
	case map[string]any:
		last, _ := last.(map[string]any)
		desired, _ := desired.(map[string]any)
		mergeObject(value, last, desired)
		return value
	case []any:
		last, _ := last.([]any)
		desired, _ := desired.([]any)
		return mergeList(value, last, desired)
	}
	return desired
}

// mergeList keeps the order of the observed items, and adds new items at the end. If several items have the same key, the last one of
// each list counts. It replaces all such observed items.
func mergeList(list, last, desired []any) []any {
	key := ListKey(list, last, desired)
	if key == "" {
		return desired
	}
	items := byKey(key, list)
	mergeObject(items, byKey(key, last), byKey(key, desired))
	merged, added := make([]any, 0, len(items)), map[string]bool{}
	for i, item := range slices.Concat(list, desired) {
		value := keyOf(key, item)
		if kept, found := items[value]; found && (i < len(list) || !added[value]) {
			merged, added[value] = append(merged, kept), true
		}
	}
	return merged
}

// mergeKeys are the keys by which Metacontroller merges lists, in its order.
var mergeKeys = []string{"containerPort", "port", "mountPath", "name", "uid", "ip", "path"}

// ListKey returns the first of mergeKeys that every item of every list has; "" if there is none.
func ListKey(lists ...[]any) string {
	items := slices.Concat(lists...)
	for _, key := range mergeKeys {
		isMissing := func(item any) bool {
			object, _ := item.(map[string]any)
			_, found := object[key]
			return !found
		}
		if len(items) > 0 && !slices.ContainsFunc(items, isMissing) {
			return key
		}
	}
	return ""
}

func keyOf(key string, item any) string { return fmt.Sprint(item.(map[string]any)[key]) }

func byKey(key string, list []any) map[string]any {
	items := make(map[string]any, len(list))
	for _, item := range list {
		items[keyOf(key, item)] = item
	}
	return items
}
