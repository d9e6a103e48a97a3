package check

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

var retryAfter = Check{
	ID:    "retry-after",
	Looks: "32 requests at the same time: a 429 has the header Retry-After with at least one second",
	Why:   "Without the header, Metacontroller repeats the sync immediately, without a backoff (metacontroller#533).",
	once:  true, always: true,
	run: func(s *Subject, e *exchange) []string {
		responses := make([]Response, 32)
		body := encode(e.Request)
		var all sync.WaitGroup
		for i := range responses {
			all.Go(func() { responses[i] = s.call(e.Hook, body, "") })
		}
		all.Wait()
		for _, r := range append(responses, e.Response) {
			if seconds, err := strconv.Atoi(r.RetryAfter); r.Code == http.StatusTooManyRequests && (err != nil || seconds < 1) {
				return []string{fmt.Sprintf("%s returns 429 with Retry-After %q", e.Hook, r.RetryAfter)}
			}
		}
		return nil
	},
}
