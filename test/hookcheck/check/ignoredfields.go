package check

import "github.com/example/memcached-operator/webhook/merge"

var ignoredFields = Check{
	ID:    "ignored-fields",
	Looks: "resourceVersion, managedFields and unknown fields of the observed objects: the response does not depend on them",
	Why:   "Every write changes them. A response that depends on them changes after each write, so it is a hot loop.",
	run: func(s *Subject, e *exchange) []string {
		request := clone(e.Request)
		objects := []any{request["parent"]}
		for _, part := range []string{"children", "related"} {
			for _, group := range object(request[part]) {
				for _, each := range object(group) {
					objects = append(objects, each)
				}
			}
		}
		for _, each := range objects {
			metadata := object(at(each, "metadata"))
			metadata["resourceVersion"] = "987654321"
			metadata["managedFields"] = []any{map[string]any{"manager": "somebody", "operation": "Update"}}
			object(each)["future"] = map[string]any{"field": true}
		}
		var path string
		for range 3 { // a time in the response may change between two requests, but not at each attempt
			answer, differs := s.send(Case{e.Name, e.Hook, request}).answer, false
			if path, differs = merge.Changed(ordered(s.send(e.Case).answer), ordered(answer)); !differs {
				return nil
			}
		}
		return []string{"the response of " + e.Hook + " depends on resourceVersion, managedFields or an unknown field: " + path}
	},
}
