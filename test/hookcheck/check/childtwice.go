package check

var childTwice = Check{
	ID:    "child-twice",
	Looks: "the children of a response: none has the kind, namespace and name of another one",
	Why:   "Metacontroller applies the last child and silently ignores the others.",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		seen := map[string]bool{}
		for _, child := range list(e.answer["children"]) {
			id := groupOf(child) + " " + s.kinds().keyOf(e.Request, child)
			if seen[id] {
				problems = append(problems, NameOf(child)+" is returned twice")
			}
			seen[id] = text(child, "metadata", "name") != ""
		}
		return problems
	},
}
