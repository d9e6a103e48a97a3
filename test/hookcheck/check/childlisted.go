package check

var childListed = Check{
	ID:    "child-listed",
	Looks: "the children of a response: childResources of the CompositeController list their kinds",
	Why:   "Metacontroller creates a child of another kind, but never observes, updates or deletes it.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for _, child := range list(e.answer["children"]) {
			if _, listed := object(e.Request["children"])[groupOf(child)]; !listed && text(child, "kind") != "" {
				problems = append(problems, NameOf(child)+" has the kind "+groupOf(child)+", which childResources do not list")
			}
		}
		return problems
	},
}
