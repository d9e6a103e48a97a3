package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/example/memcached-operator/webhook/merge"
)

var listKey = Check{
	ID:    "list-key",
	Looks: "the lists of children that Metacontroller merges by a key, such as port or name: no two items have the same key",
	Why: "An update replaces both items by the last one, such as TCP and UDP on one port (metacontroller#371). The API server then refuses the " +
		"child, or stores it with a part missing. With --apply-strategy=server-side-apply, this does not happen.",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		for _, child := range list(e.answer["children"]) {
			if method := s.CRDs.UpdateMethod(e.Request, child); method != "InPlace" && method != "Recreate" {
				continue // never updated
			}
			for _, name := range slices.Sorted(maps.Keys(object(child))) {
				for _, found := range sameKeys(object(child)[name], name) {
					problems = append(problems, NameOf(child)+": "+found)
				}
			}
		}
		return problems
	},
}

// sameKeys returns the lists in a value of which two items have the same key.
func sameKeys(value any, path string) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(object(value))) {
		found = append(found, sameKeys(object(value)[name], path+"."+name)...)
	}
	items, seen := list(value), map[string]bool{}
	key := merge.ListKey(items)
	if key == "" {
		return found // the list is replaced as a whole
	}
	for i, item := range items {
		found = append(found, sameKeys(item, fmt.Sprintf("%s[%d]", path, i))...)
		if id := fmt.Sprint(object(item)[key]); seen[id] {
			found = append(found, fmt.Sprintf("%s has two items with the %s %s, of which Metacontroller keeps the last one", path, key, id))
		} else {
			seen[id] = true
		}
	}
	return found
}
