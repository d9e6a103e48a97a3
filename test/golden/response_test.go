package golden

// response is the decoded response of a sync hook.
type response struct{ body map[string]any }

type condition struct{ status, reason, message string }

func (c condition) is(status, reason string) bool { return c.status == status && c.reason == reason }

func (r response) condition(kind string) condition {
	conditions, _ := r.body["status"].(map[string]any)["conditions"].([]any)
	for _, each := range conditions {
		if fields := each.(map[string]any); fields["type"] == kind {
			return condition{fields["status"].(string), fields["reason"].(string), fields["message"].(string)}
		}
	}
	return condition{}
}

func (r response) children() []any { return r.body["children"].([]any) }
