package check

import "github.com/example/memcached-operator/webhook/merge"

var relatedStable = Check{
	ID:    "related-stable",
	Looks: "the rules of customize after the status, resourceVersion, labels and annotations of the parent have changed: they are the same",
	Why:   "Metacontroller caches the rules for each generation of the parent, so it does not see the change.",
	run: func(s *Subject, e *exchange) []string {
		if e.Hook != "customize" {
			return nil
		}
		request := clone(e.Request)
		parent := object(request["parent"])
		parent["status"] = map[string]any{"observedGeneration": 1, "replicas": 7, "phase": "Ready", "conditions": []any{}}
		object(parent["metadata"])["resourceVersion"] = "987654321"
		for _, field := range []string{"labels", "annotations"} {
			object(parent["metadata"])[field] = map[string]any{"hookcheck.example.com/changed": "true"}
		}
		if path, differs := merge.Changed(e.answer, s.send(Case{Name: e.Name, Hook: e.Hook, Request: request}).answer); differs {
			return []string{"the rules depend on the status, resourceVersion, labels or annotations of the parent: " + path}
		}
		return nil
	},
}
