package check

var ignoredFields = Check{
	ID:    "ignored-fields",
	Looks: "the settled parent after resourceVersion and managedFields of the observed objects have changed, and with an unknown field: the hook writes nothing",
	Why:   "Every write changes them, so the next sync writes again: a hot loop. Unknown fields come with new versions of Kubernetes.",
	run: func(s *Subject, e *exchange) []string {
		if e.settled.Request == nil || len(e.writes) > 0 {
			return nil // hot-loop reports it
		}
		changed := e.settled
		for range 3 { // a time in the response may change between two requests, but not at each attempt
			changed.Request = clone(e.settled.Request)
			each(changed.Request, func(o map[string]any) {
				metadata := object(o["metadata"])
				metadata["resourceVersion"] = "987654321"
				metadata["managedFields"] = []any{map[string]any{"manager": "somebody", "operation": "Update"}}
			})
			_, writes := s.CRDs.Apply(changed.Request, s.send(changed).answer)
			if len(writes) == 0 {
				each(changed.Request, func(o map[string]any) { o["future"] = map[string]any{"field": true} })
				if s.send(changed).answer == nil {
					return []string{"the hook refuses a request with an unknown field"}
				}
				return nil
			}
			if _, again := s.CRDs.Apply(e.settled.Request, s.send(e.settled).answer); len(again) == 0 {
				return []string{"another resourceVersion or managedFields, and " + describe(writes[0])}
			}
		}
		return nil
	},
}

// describe returns a write as a message.
func describe(w Write) string {
	if w.Child == "" {
		return "status." + w.What + " is written"
	}
	return w.Child + " " + w.What
}

// each calls a function for the parent and all observed objects of a request.
func each(request map[string]any, do func(map[string]any)) {
	do(object(request["parent"]))
	for _, part := range []string{"children", "related"} {
		for _, group := range object(request[part]) {
			for _, one := range object(group) {
				do(object(one))
			}
		}
	}
}
