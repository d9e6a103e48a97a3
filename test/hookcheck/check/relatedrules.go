package check

import "fmt"

var relatedRules = Check{
	ID:    "related-rules",
	Looks: "the rules of customize: each has apiVersion and resource, and labelSelector, which {} may be, or names, but not both; in v1 no other namespace",
	Why:   "A null rule ends Metacontroller. A rule without a selector loads all objects of a kind into each request.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for i, rule := range list(e.answer["relatedResources"]) {
			_, selects := object(rule)["labelSelector"]
			selector, names := object(at(rule, "labelSelector")), list(at(rule, "names"))
			namespace := text(rule, "namespace")
			parent := text(e.Request, "parent", "metadata", "namespace")
			v2 := text(e.Request, "controller", "spec", "hooks", "customize", "version") == "v2"
			problem := ""
			switch {
			case rule == nil:
				problem = "is null"
			case text(rule, "apiVersion") == "" || text(rule, "resource") == "":
				problem = "has no apiVersion or resource"
			case len(selector) > 0 && len(names) > 0:
				problem = "has both labelSelector and names, which Metacontroller refuses"
			case !selects && len(names) == 0 && namespace == "":
				problem = "selects all " + text(rule, "resource")
			case !v2 && parent != "" && namespace != "" && namespace != parent:
				problem = "selects objects of the namespace " + namespace + ", which needs version v2"
			}
			if problem != "" {
				problems = append(problems, fmt.Sprintf("rule %d %s", i, problem))
			}
		}
		return problems
	},
}
