package check

import "fmt"

var childNull = Check{
	ID:    "child-null",
	Looks: "the children of a response: none is null",
	Why:   "A null child, such as a nil pointer in Go, crashes Metacontroller (metacontroller#383, metacontroller#644).",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for i, child := range list(e.answer["children"]) {
			if child == nil {
				problems = append(problems, fmt.Sprintf("child %d is null", i))
			}
		}
		return problems
	},
}
