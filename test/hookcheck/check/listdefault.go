package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/example/memcached-operator/test/internal/apiserver"
	"github.com/example/memcached-operator/webhook/merge"
)

var listDefault = Check{
	ID:    "list-default",
	Looks: "items of lists that the API server completes: a key that every Metacontroller knows identifies them",
	Why: "A Metacontroller that does not know the key replaces the list by the incomplete one, at every sync: metacontroller#443 before " +
		"3.0.1. Set the field, as the API server does.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for _, child := range list(e.answer["children"]) {
			if child == nil {
				continue
			}
			desired := desiredChild(e.Request, object(child))
			if stored, err := apiserver.Stored(desired); err == nil {
				for _, path := range completed(desired.Object["spec"], clone(stored.Object)["spec"], "spec", false) {
					problems = append(problems, fmt.Sprintf("%s: the API server sets %s", NameOf(child), path))
				}
			}
		}
		return problems
	},
}

// completed returns the paths of fields that are only stored, in items of lists with a key that earlier versions of Metacontroller do
// not know.
func completed(desired, stored any, path string, inItem bool) []string {
	var found []string
	switch stored := stored.(type) {
	case map[string]any:
		desired, isObject := desired.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(stored)) {
			if _, set := desired[name]; set {
				found = append(found, completed(desired[name], stored[name], path+"."+name, inItem)...)
			} else if inItem && isObject {
				found = append(found, path+"."+name)
			}
		}
	case []any:
		desired := list(desired)
		key := merge.ListKey(desired, stored)
		for i := range min(len(desired), len(stored)) {
			found = append(found, completed(desired[i], stored[i], fmt.Sprintf("%s[%d]", path, i), inItem || key == "path" || key == "mountPath")...)
		}
	}
	return found
}
