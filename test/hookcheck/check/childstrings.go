package check

import (
	"fmt"
	"maps"
	"slices"
)

var childStrings = Check{
	ID:    "child-strings",
	Looks: "the labels and annotations of children: all values are strings",
	Why: "Metacontroller refuses the whole response because of a label that is a number, at each sync (GoogleCloudPlatform/metacontroller#109). " +
		"It drops all annotations of a child if one is no string.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for _, child := range list(e.answer["children"]) {
			for _, field := range []string{"labels", "annotations"} {
				values := object(at(child, "metadata", field))
				for _, name := range slices.Sorted(maps.Keys(values)) {
					if _, isText := values[name].(string); !isText {
						problems = append(problems, fmt.Sprintf("%s has %s.%s %s, which is no string", NameOf(child), field, name, encode(values[name])))
					}
				}
			}
		}
		return problems
	},
}
