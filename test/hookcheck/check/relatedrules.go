package check

import "fmt"

var relatedRules = Check{
	ID: "related-rules",
	Looks: "the rules of customize: each has apiVersion and resource, and a selector, which {} may be, or names or a namespace, in a combination that " +
		"Metacontroller accepts, and the sync hook gets the objects",
	Why: "A null rule crashes Metacontroller, and a rule that it refuses fails each sync. A rule without a selector loads all objects of a kind into " +
		"each request. In v1, a parent in a namespace gets no objects without one (metacontroller#842).",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		for i, each := range list(e.answer["relatedResources"]) {
			if problem := s.ruleProblem(e, each); problem != "" {
				problems = append(problems, fmt.Sprintf("rule %d %s", i, problem))
			}
		}
		return problems
	},
}

func (s *Subject) ruleProblem(e *exchange, each any) string {
	if each == nil {
		return "is null"
	}
	rule, kind, err := s.rule(each)
	switch {
	case rule.APIVersion == "" || rule.Resource == "":
		return "has no apiVersion or resource"
	case err != nil && s != nil:
		return err.Error()
	}
	scope := s.scope(e.Request, kind)
	if err := rule.Check(scope); err != nil {
		return err.Error()
	}
	switch {
	case rule.LabelSelector == nil && rule.NamespaceSelector == nil && len(rule.Names) == 0 && rule.Namespace == "":
		return "selects all " + rule.Resource
	case scope.Cluster && scope.Namespace != "" && !isV2(e.Request, "sync"):
		return "selects " + rule.Resource + ", which have no namespace: the sync hook gets them only with version v2"
	}
	return ""
}
