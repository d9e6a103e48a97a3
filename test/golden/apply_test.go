package golden

import (
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/requests"
)

// apply returns the next request after Metacontroller has applied a response, before any other controller acts. Desired
// children are applied, a changed spec gets a new generation, other children are deleted, and
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
	desired := &unstructured.Unstructured{Object: child}
	if before == nil {
		created := requests.Created(desired).Object
		created["metadata"].(map[string]any)["generation"] = float64(1)
		return created
	}
	after := requests.Updated(&unstructured.Unstructured{Object: before}, desired).Object
	if !reflect.DeepEqual(before["spec"], after["spec"]) {
		metadata := after["metadata"].(map[string]any)
		generation, _ := metadata["generation"].(float64)
		metadata["generation"] = generation + 1
	}
	return after
}

func groupKey(child map[string]any) string {
	return child["kind"].(string) + "." + child["apiVersion"].(string)
}

func version(request map[string]any) string {
	spec := request["controller"].(map[string]any)["spec"].(map[string]any)
	version, _ := spec["hooks"].(map[string]any)["sync"].(map[string]any)["version"].(string)
	return strings.ToLower(version)
}
