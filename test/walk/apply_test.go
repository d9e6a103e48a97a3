package walk

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// lastApplied is the annotation in which Metacontroller stores the child that it applied last.
const lastApplied = "metacontroller.k8s.io/last-applied-configuration"

// applied returns the object that Metacontroller sends to the API server: a three-way merge of the observed child, the child
// that was applied last, and the desired child.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/dynamic/apply/apply.go
func applied(observed, desired *unstructured.Unstructured) *unstructured.Unstructured {
	last := map[string]any{}
	if text := observed.GetAnnotations()[lastApplied]; text != "" {
		last = decodeObject([]byte(text)).Object
	}
	result := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(observed.Object)}
	mergeObject(result.Object, last, runtime.DeepCopyJSON(desired.Object))
	delete(result.Object, "status") // Metacontroller leaves the status of a child to its controller
	if status, found := observed.Object["status"]; found {
		result.Object["status"] = status
	}
	setLastApplied(result, desired)
	return result
}

func setLastApplied(object, desired *unstructured.Unstructured) {
	text, err := json.Marshal(desired.Object)
	if err != nil {
		panic(err)
	}
	object.SetAnnotations(withEntry(object.GetAnnotations(), lastApplied, string(text)))
}

func decodeObject(text []byte) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("decoding %.200s: %v", text, err))
	}
	return object
}

func mergeObject(have, last, want map[string]any) {
	for key := range last {
		if _, wanted := want[key]; !wanted {
			delete(have, key)
		}
	}
	for key, value := range want {
		have[key] = merged(have[key], last[key], value)
	}
}

func merged(have, last, want any) any {
	switch have := have.(type) {
	case map[string]any:
		last, _ := last.(map[string]any)
		if want, ok := want.(map[string]any); ok {
			mergeObject(have, last, want)
			return have
		}
	case []any:
		last, _ := last.([]any)
		if want, ok := want.([]any); ok {
			return mergedList(have, last, want)
		}
	}
	return want
}

// mergedList merges lists by a key that all items have. It keeps the order of the observed items, and adds new items at the end.
func mergedList(have, last, want []any) []any {
	key := mergeKey(have, last, want)
	if key == "" {
		return want
	}
	items := byKey(key, have)
	mergeObject(items, byKey(key, last), byKey(key, want))
	list := []any{}
	for _, item := range slices.Concat(have, want) {
		name := keyOf(key, item)
		if items[name] != nil {
			list = append(list, items[name])
			delete(items, name)
		}
	}
	return list
}

// mergeKeys are the keys by which Metacontroller merges lists, in its order.
var mergeKeys = []string{"containerPort", "port", "mountPath", "name", "uid", "ip", "path"}

// mergeKey returns the first of mergeKeys that all items of all lists have; "" if there is none.
func mergeKey(lists ...[]any) string {
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
	items := map[string]any{}
	for _, item := range list {
		items[keyOf(key, item)] = item
	}
	return items
}
