package merge

import (
	"fmt"
	"reflect"
	"slices"
)

func listDifference(have, last, want []any) (string, bool) {
	if key := mergeKey(have, last, want); key != "" {
		return objectDifference(byKey(key, have), byKey(key, last), byKey(key, want))
	}
	return "", !reflect.DeepEqual(have, want)
}

// mergeKeys are the keys by which Metacontroller merges lists, in its order.
var mergeKeys = []string{"containerPort", "port", "mountPath", "name", "uid", "ip", "path"}

// mergeKey returns the first of mergeKeys that every item of every list has; "" when there is none.
func mergeKey(lists ...[]any) string {
	items := slices.Concat(lists...)
	for _, key := range mergeKeys {
		isMissing := func(item any) bool {
			object, _ := item.(map[string]any)
			_, found := object[key]
			return !found
		}
		if !slices.ContainsFunc(items, isMissing) {
			return key
		}
	}
	return ""
}

func byKey(key string, list []any) map[string]any {
	items := make(map[string]any, len(list))
	for _, item := range list {
		items[fmt.Sprint(item.(map[string]any)[key])] = item
	}
	return items
}
