package check

import "fmt"

var childIdentity = Check{
	ID:    "child-identity",
	Looks: "the children of a response: each has apiVersion, kind and name",
	Why:   "Metacontroller finds an observed child by them. It tries to create a child without a name at every sync, and fails.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for i, child := range list(e.answer["children"]) {
			if child != nil && (text(child, "apiVersion") == "" || text(child, "kind") == "" || text(child, "metadata", "name") == "") {
				problems = append(problems, fmt.Sprintf("child %d has no apiVersion, kind or name: %.100s", i, encode(child)))
			}
		}
		return problems
	},
}
