package check

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/internal/apiserver"
)

var parentCRD = Check{
	ID:    "parent-crd",
	Looks: "the parent: it has a CRD, with the status subresource",
	Why: "Metacontroller does not start the controller otherwise: there is one Event about the CompositeController, or only a line in the log " +
		"(metacontroller#68, metacontroller#714).",
	run: func(s *Subject, e *exchange) []string {
		parent := object(e.Request["parent"])
		kind := schema.FromAPIVersionAndKind(text(parent, "apiVersion"), text(parent, "kind"))
		switch crd := s.CRDs.Of(kind); {
		case crd == nil && apiserver.Kinds.Recognizes(kind):
			return []string{kind.Kind + " is a built-in kind, which has no CRD"}
		case crd != nil && !crd.HasStatus:
			return []string{"the CRD has no status subresource in " + kind.Version}
		}
		return nil
	},
}
