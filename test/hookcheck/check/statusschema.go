package check

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/render"
)

var statusSchema = Check{
	ID:    "status-schema",
	Looks: "the status, with observedGeneration: the schema of the CRD has every field, and accepts every value",
	Why:   "The API server drops unknown fields and nulls, so each sync writes the status again. It refuses a wrong status whole.",
	run: func(s *Subject, e *exchange) []string {
		parent := unstructured.Unstructured{Object: object(e.Request["parent"])}
		crd := s.CRDs.Of(parent.GroupVersionKind())
		status := object(e.answer["status"])
		if crd == nil || status == nil {
			return nil
		}
		var problems []string
		if !crd.HasStatus {
			problems = append(problems, "the CRD has no status subresource, so Metacontroller does not start the controller")
		}
		status = clone(status)
		status["observedGeneration"] = 1
		schema, found := crd.Schema.Properties["status"]
		if !found {
			return append(problems, "the CRD has no status")
		}
		for _, problem := range render.Problems(&schema, clone(status), "status") {
			problems = append(problems, problem.Error())
		}
		return problems
	},
}
