package check

var childNamespace = Check{
	ID:    "child-namespace",
	Looks: "the children of a parent in a namespace: they are in the same one, or name none",
	Why:   "Metacontroller creates a child in another namespace, but never observes it, and the garbage collector deletes it.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		parent := text(e.Request, "parent", "metadata", "namespace")
		for _, child := range list(e.answer["children"]) {
			if namespace := text(child, "metadata", "namespace"); namespace != "" && parent != "" && namespace != parent {
				problems = append(problems, NameOf(child)+" is in the namespace "+namespace+", the parent in "+parent)
			}
		}
		return problems
	},
}
