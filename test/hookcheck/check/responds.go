package check

import (
	"fmt"
	"net/http"
)

var responds = Check{
	ID:     "responds",
	Looks:  "the response to each request: 200 with a JSON object, within the timeout of the hook",
	Why:    "After any other response Metacontroller changes nothing, and repeats the sync with up to 16 minutes in between.",
	always: true,
	run: func(_ *Subject, e *exchange) []string {
		switch timeout := timeoutOf(e); {
		case e.Err != nil:
			return []string{fmt.Sprintf("%s: no response: %v", e.Hook, e.Err)}
		case e.Code == http.StatusTooManyRequests && e.RetryAfter != "":
			return []string{fmt.Sprintf("%s waits: %.200s: add what it waits for to the samples", e.Hook, e.Body)}
		case e.answer == nil:
			return []string{fmt.Sprintf("%s returns %d: %.200s", e.Hook, e.Code, e.Body)}
		case e.Took > timeout:
			return []string{fmt.Sprintf("%s takes %s, the timeout is %s", e.Hook, e.Took, timeout)}
		}
		return nil
	},
}
