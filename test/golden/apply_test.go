package golden

import (
	"maps"
	"reflect"
	"strings"
)

// apply returns the next request after Metacontroller has applied a response, before any other controller acts. Desired
// children are merged into the observed children, a changed spec gets a new generation, other children are deleted, and
// the parent has the new status.
func apply(request, response map[string]any) map[string]any {
	next := maps.Clone(request)
	parent := maps.Clone(request["parent"].(map[string]any))
	parent["status"] = response["status"]
	next["parent"] = parent

	observed := request["children"].(map[string]any)
	applied := map[string]any{}
	for kind := range observed {
		applied[kind] = map[string]any{}
	}
	children, _ := response["children"].([]any)
	for _, child := range children {
		child := child.(map[string]any)
		kind, name := groupKey(child), child["metadata"].(map[string]any)["name"].(string)
		key := name
		if version(request) == "v2" {
			key = parent["metadata"].(map[string]any)["namespace"].(string) + "/" + name
		}
		before, _ := observed[kind].(map[string]any)[key].(map[string]any)
		applied[kind].(map[string]any)[key] = applyChild(before, child)
	}
	next["children"] = applied
	return next
}

func applyChild(before, child map[string]any) map[string]any {
	desired := maps.Clone(child)
	delete(desired, "status")
	if before == nil {
		desired["metadata"] = merge(desired["metadata"], map[string]any{"generation": float64(1)})
		return desired
	}
	after := merge(before, desired).(map[string]any)
	if !reflect.DeepEqual(before["spec"], after["spec"]) {
		generation, _ := before["metadata"].(map[string]any)["generation"].(float64)
		after["metadata"] = merge(after["metadata"], map[string]any{"generation": generation + 1})
	}
	return after
}

// merge returns the observed value with the desired fields. Fields that only the observed value has stay, as defaults do.
func merge(observed, desired any) any {
	switch desired := desired.(type) {
	case map[string]any:
		merged := map[string]any{}
		if observed, ok := observed.(map[string]any); ok {
			maps.Copy(merged, observed)
		}
		for key, value := range desired {
			merged[key] = merge(merged[key], value)
		}
		return merged
	case []any:
		observed, _ := observed.([]any)
		if len(observed) != len(desired) {
			return desired
		}
		merged := make([]any, len(desired))
		for i := range desired {
			merged[i] = merge(observed[i], desired[i])
		}
		return merged
	}
	return desired
}

func groupKey(child map[string]any) string {
	return child["kind"].(string) + "." + child["apiVersion"].(string)
}

func version(request map[string]any) string {
	spec := request["controller"].(map[string]any)["spec"].(map[string]any)
	version, _ := spec["hooks"].(map[string]any)["sync"].(map[string]any)["version"].(string)
	return strings.ToLower(version)
}
