package check

import (
	"net/http"

	"github.com/example/memcached-operator/webhook/merge"
)

var eTag = Check{
	ID:    "etag",
	Looks: "If-None-Match with the ETag of an earlier response, if the CompositeController enables etag: a response that has changed is sent",
	Why: "Metacontroller repeats the earlier response after a 304 or 412, so the change never arrives (metacontroller#558, metacontroller#850). " +
		"An ETag must be a hash of the response.",
	run: func(s *Subject, e *exchange) []string {
		if e.Hook != "sync" || e.ETag == "" || at(e.Request, "controller", "spec", "hooks", e.Hook, "webhook", "etag", "enabled") != true {
			return nil
		}
		if s.isStale(e, e.settled) {
			return []string{"the hook confirms the ETag of its first response, although the response with children differs"}
		}
		for field, edited := range s.edits(e) {
			if s.isStale(e, edited) {
				return []string{"the hook confirms the ETag of its first response after an edit of " + field + ", although the response differs"}
			}
		}
		return nil
	},
}

// isStale reports whether the hook confirms the ETag of an exchange for a request with another response.
func (s *Subject) isStale(e *exchange, later Case) bool {
	if later.Request == nil {
		return false
	}
	code := s.call(later.Hook, encode(later.Request), e.ETag).Code
	_, differs := merge.Changed(ordered(e.answer), ordered(s.send(later).answer))
	return differs && (code == http.StatusNotModified || code == http.StatusPreconditionFailed)
}
