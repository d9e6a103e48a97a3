package check

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/render"
)

var onDelete = Check{
	ID:    "on-delete",
	Looks: "edits of each field of the spec: they change no child of a kind without updateStrategy in the CompositeController",
	Why: "The default of updateStrategy.method is OnDelete: Metacontroller never updates such a child (metacontroller#664). Set InPlace or " +
		"Recreate. If this is what you want, set OnDelete, and hookcheck does not report it.",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		reported := map[string]bool{}
		for field, edited := range s.edits(e) {
			before, after := childrenOf(e.last), childrenOf(s.send(edited).answer)
			for _, id := range slices.Sorted(maps.Keys(after)) {
				if before[id] == nil || reported[id] || s.CRDs.UpdateMethod(e.Request, after[id]) != "" {
					continue
				}
				if path, differs := merge.Changed(before[id], after[id]); differs {
					reported[id] = true
					problems = append(problems, fmt.Sprintf("likely: an edit of %s changes %s of %s, but Metacontroller never updates it", field, path, NameOf(after[id])))
				}
			}
		}
		return problems
	},
}

// maxEdits limits the requests for a sample.
const maxEdits = 50

// edits yields the settled request of a sync after an edit of each field in the spec of the parent that its CRD accepts.
func (s *Subject) edits(e *exchange) iter.Seq2[string, Case] {
	return func(yield func(string, Case) bool) {
		spec := object(at(e.settled.Request, "parent", "spec"))
		if e.Hook != "sync" || spec == nil {
			return
		}
		crd := s.CRDs.of(e.Request["parent"])
		for _, field := range Leaves(spec)[:min(maxEdits, len(Leaves(spec)))] {
			for _, value := range Alternatives(field.Value) {
				c := e.settled
				c.Request = clone(c.Request)
				parent := object(c.Request["parent"])
				object(at(parent["spec"], field.Path[:len(field.Path)-1]...))[field.Path[len(field.Path)-1]] = value
				object(parent["metadata"])["generation"] = 2
				if crd != nil {
					schema := crd.Schema.Properties["spec"]
					if len(render.Problems(&schema, parent["spec"], "spec")) > 0 {
						continue
					}
				}
				if !yield("spec."+strings.Join(field.Path, "."), c) {
					return
				}
				break
			}
		}
	}
}

// childrenOf returns the children of a response by kind, namespace and name.
func childrenOf(answer map[string]any) map[string]any {
	children := map[string]any{}
	for _, child := range list(answer["children"]) {
		if child != nil {
			children[groupOf(child)+" "+identity(child)] = child
		}
	}
	return children
}
