package check

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/example/memcached-operator/test/internal/apiserver"
	"github.com/example/memcached-operator/webhook/render"
)

var childSchema = Check{
	ID:    "child-schema",
	Looks: "the fields of children: their kinds have them, with these types, and none is missing that is required, by the Go types of Kubernetes, or by the CRD",
	Why: "The API server drops an unknown field, so each sync writes the child again or, with Recreate, deletes it. It refuses a child without " +
		"a required field, at each sync again.",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		found := s.schemaProblems(e.answer)
		for _, child := range slices.Sorted(maps.Keys(found)) {
			for _, problem := range found[child] {
				problems = append(problems, child+": "+problem)
			}
		}
		return problems
	},
}

// schemaProblems returns the problems of the children in a response, by their names.
func (s *Subject) schemaProblems(answer map[string]any) map[string][]string {
	found := map[string][]string{}
	for _, child := range list(answer["children"]) {
		if text(child, "metadata", "name") == "" {
			continue // child-identity reports it
		}
		if unknown, refused := s.CRDs.problems(object(child)); len(unknown)+len(refused) > 0 {
			found[NameOf(child)] = slices.Concat(unknown, refused)
		}
	}
	return found
}

// problems returns the unknown fields of a child, and why the API server refuses it.
func (c CRDs) problems(child map[string]any) (unknown, refused []string) {
	child = clone(child)
	delete(child, "status")                                     // which Metacontroller does not write
	for _, checked := range []string{"labels", "annotations"} { // by child-metadata
		delete(object(child["metadata"]), checked)
	}
	crd := c.of(child)
	if crd == nil {
		return apiserver.Problems(&unstructured.Unstructured{Object: child})
	}
	if len(crd.Schema.Properties) == 0 {
		return nil, nil
	}
	schema := crd.Schema
	schema.Properties = maps.Clone(schema.Properties)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		schema.Properties[name] = spec.Schema{}
	}
	render.SetDefaults(&schema, child)
	for _, problem := range render.Problems(&schema, child, "") {
		unknown = append(unknown, problem.Error())
	}
	return unknown, nil
}
