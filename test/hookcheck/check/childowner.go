package check

var childOwner = Check{
	ID:    "child-owner",
	Looks: "the labels of children: they match spec.selector of the parent, or the CompositeController generates the selector",
	Why:   "Metacontroller refuses the whole response if a child does not match, and adopts and releases children by these labels.",
	run: func(_ *Subject, e *exchange) []string {
		if at(e.Request, "controller", "spec", "generateSelector") == true {
			return nil
		}
		var problems []string
		wanted := object(at(e.Request, "parent", "spec", "selector", "matchLabels"))
		for _, child := range list(e.answer["children"]) {
			for name, value := range wanted {
				if child != nil && at(child, "metadata", "labels", name) != value {
					problems = append(problems, NameOf(child)+" does not have the label "+name+" of spec.selector")
				}
			}
		}
		if wanted == nil && at(e.Request, "parent", "spec", "selector") == nil {
			problems = append(problems, "the parent has no spec.selector: set generateSelector in the CompositeController")
		}
		return problems
	},
}
