package check

import (
	"slices"

	"github.com/example/memcached-operator/webhook/render"
)

var statusSchema = Check{
	ID:    "status-schema",
	Looks: "the status, with observedGeneration, and the condition Updated of rolling updates: the schema of the CRD has every field, and accepts every value",
	Why:   "The API server drops unknown fields and nulls, so each sync writes the status again. It refuses a wrong status whole.",
	run: func(s *Subject, e *exchange) []string {
		crd := s.CRDs.of(e.Request["parent"])
		status := clone(object(e.answer["status"]))
		if crd == nil || len(crd.Schema.Properties) == 0 || e.Hook == "customize" {
			return nil
		}
		if status == nil {
			status = map[string]any{}
		}
		status["observedGeneration"] = 1
		if slices.ContainsFunc(list(e.answer["children"]), func(child any) bool { return s.CRDs.isRolling(e.Request, child) }) {
			updated := map[string]any{"type": "Updated", "status": "True", "reason": "OnLatestRevision", "message": "latest"}
			status["conditions"] = append(slices.Clone(list(status["conditions"])), updated)
		}
		schema, found := crd.Schema.Properties["status"]
		switch {
		case !found && preserves(&crd.Schema):
			return nil
		case !found:
			return []string{"the schema of the CRD has no status"}
		case len(schema.Properties) == 0 && schema.AdditionalProperties == nil && !preserves(&schema):
			return []string{"the schema of the CRD has no field of the status, so the API server drops all of them"}
		}
		var problems []string
		for _, problem := range render.Problems(&schema, status, "status") {
			problems = append(problems, problem.Error())
		}
		return problems
	},
}
