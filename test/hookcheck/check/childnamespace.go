package check

var childNamespace = Check{
	ID:    "child-namespace",
	Looks: "the namespaces of children: a parent in a namespace has children in the same one, and another parent names them",
	Why: "Metacontroller creates a child in another namespace, or without one, such as a ClusterRole, but never observes it, and the garbage " +
		"collector deletes it (GoogleCloudPlatform/metacontroller#173, metacontroller#236).",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		parent := text(e.Request, "parent", "metadata", "namespace")
		for _, child := range list(e.answer["children"]) {
			switch namespace, cluster := text(child, "metadata", "namespace"), s.kinds().hasNoNamespace(child); {
			case child == nil:
			case cluster && parent != "":
				problems = append(problems, NameOf(child)+" has no namespace, the parent is in "+parent)
			case namespace != "" && parent != "" && namespace != parent:
				problems = append(problems, NameOf(child)+" is in the namespace "+namespace+", the parent in "+parent)
			case parent == "" && namespace == "" && !cluster && s != nil:
				problems = append(problems, NameOf(child)+" names no namespace, and the parent has none: the API server refuses it")
			}
		}
		return problems
	},
}
