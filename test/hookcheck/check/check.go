// Package check has the checks of hookcheck. Each one is a function of requests to a hook of a CompositeController and of the
// responses. None of them knows what the hook is for.
package check

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Check is one property that every hook must have.
type Check struct {
	// ID names the check in findings.
	ID string
	// Looks says what the check looks at, and Why what Metacontroller does without the property.
	Looks, Why string
	// once is for checks that look at one request of each hook, because they need many calls.
	once bool
	// always is for checks of a request without a proper response.
	always bool
	run    func(s *Subject, e *exchange) []string
}

// Checks are all checks that need no cluster.
var Checks = []Check{
	parentCRD, responds, retryAfter, responseFields, childNull, childIdentity, childListed, childTwice, childNamespace, childMetadata, childSchema, childOwner,
	listKey, onDelete, rollingUpdate, finalizedInSync, resyncDelay, sameResponse, ignoredFields, eTag, hotLoop, statusSettles, statusSchema, finalizeEnds,
	relatedRules, relatedStable, thousandObjects,
	failClosed, // the last one that calls the hook, because it may end it
	limits,
}

// Finding is a property that a hook does not have.
type Finding struct {
	Check   string `json:"check"`
	Case    string `json:"case"`
	Message string `json:"message"`
}

// Subject is the hooks of one CompositeController.
type Subject struct {
	// Call posts a request to a hook: sync, finalize or customize. It sends the ETag as If-None-Match unless it is "".
	Call func(hook string, request []byte, etag string) Response
	// CRDs has the schemas of parents and custom children. A parent without a CRD has no defaults, and its status is not checked.
	CRDs CRDs
	// Wait lets at least a second pass, after which times in a status may differ. It is nil if the clock of the hook stands still.
	Wait func()
	// Peak returns the peak of the memory of the hook in bytes; it is nil if this is unknown.
	Peak func() int64
	// Responses gets each response to a case.
	Responses func(c Case, r Response)
	Limits    Limits

	usage usage
}

// Response is what a hook returned.
type Response struct {
	Err        error // without a response
	Code       int
	RetryAfter string // header
	ETag       string // header
	Body       []byte
	Took       time.Duration
}

// Case is a request to a hook.
type Case struct {
	Name    string // of the sample or the file
	Hook    string
	Request map[string]any
	Phase   string // of the children; "" without a status
}

// exchange is a request and its response.
type exchange struct {
	Case
	Response
	// answer is the decoded response; nil unless it is a 200 with an object.
	answer map[string]any
	// settled is the last request after Metacontroller has applied responses, last its response, and writes what it still wrote.
	settled Case
	last    map[string]any
	writes  []Write
}

// Run runs checks with all cases, and returns the findings. Each finding stands for all cases of a sample with the same message.
func (s *Subject) Run(checks []Check, cases []Case) []Finding {
	var exchanges []*exchange
	for _, c := range cases {
		e := s.send(c)
		if s.Responses != nil {
			s.Responses(c, e.Response)
		}
		if e.answer != nil && c.Hook == "sync" {
			s.settle(e)
		}
		exchanges = append(exchanges, e)
	}
	if s.Wait != nil {
		s.Wait()
	}
	var findings []Finding
	seen := map[Finding]bool{}
	for _, check := range checks {
		for _, e := range exchanges {
			if check.once && e != largest(exchanges, e.Hook) {
				continue
			}
			for _, message := range s.problems(check, e) {
				found := Finding{check.ID, e.Name, message}
				if seen[found] {
					continue
				}
				if seen[found] = true; e.Phase != "" {
					found.Message += ", with children that are " + e.Phase
				}
				findings = append(findings, found)
			}
		}
	}
	return findings
}

// problems returns what a check finds about an exchange. After a limit is exceeded, there are no responses, so that other checks mean nothing.
func (s *Subject) problems(check Check, e *exchange) []string {
	if e.answer == nil && !check.always {
		return nil
	}
	messages := check.run(s, e)
	if s.ended() && check.ID != limits.ID {
		return nil
	}
	return messages
}

// Problems returns what is wrong with a response of a hook to a request, without another call.
func Problems(hook string, request, response []byte) []string {
	e := &exchange{Case: Case{Hook: hook}}
	if json.Unmarshal(request, &e.Request) != nil || json.Unmarshal(response, &e.answer) != nil {
		return []string{"not an object"}
	}
	var problems []string
	for _, check := range []Check{responseFields, childNull, childIdentity, childListed, childTwice, childNamespace, finalizedInSync, relatedRules} {
		problems = append(problems, check.run(nil, e)...)
	}
	return problems
}

// largest returns the exchange of a hook with the most objects.
func largest(exchanges []*exchange, hook string) *exchange {
	var most *exchange
	for _, e := range exchanges {
		if e.Hook == hook && (most == nil || objectsIn(e.Request) > objectsIn(most.Request)) {
			most = e
		}
	}
	return most
}

// send posts the request of a case.
func (s *Subject) send(c Case) *exchange {
	return s.post(c, encode(c.Request))
}

// post posts a request, and tries again if the hook is busy, as Metacontroller does.
func (s *Subject) post(c Case, body []byte) *exchange {
	e := s.try(c, body)
	for tries := 1; tries < 5 && s.Wait != nil && e.Code == http.StatusTooManyRequests; tries++ {
		s.Wait()
		e = s.try(c, body)
	}
	return e
}

// try posts a request once.
func (s *Subject) try(c Case, body []byte) *exchange {
	e := &exchange{Case: c, Response: s.call(c.Hook, body, "")}
	if e.Err == nil && e.Code == http.StatusOK {
		_ = json.Unmarshal(e.Body, &e.answer) // nil unless it is an object
	}
	return e
}

// encode encodes a value that was decoded from JSON.
func encode(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return body
}

// clone returns a copy that shares nothing.
func clone[T any](value T) T {
	var copied T
	if err := json.Unmarshal(encode(value), &copied); err != nil {
		panic(err)
	}
	return copied
}

// at returns the value at a path of objects; nil if there is none.
func at(value any, path ...string) any {
	for _, name := range path {
		value = object(value)[name]
	}
	return value
}

func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func text(value any, path ...string) string {
	found, _ := at(value, path...).(string)
	return found
}

// NameOf returns the kind and name of an object, such as "Deployment a".
func NameOf(value any) string { return text(value, "kind") + " " + text(value, "metadata", "name") }

// NamesOf returns the sorted kinds and names of the children in a response.
func NamesOf(answer map[string]any) []string {
	var names []string
	for _, child := range list(answer["children"]) {
		names = append(names, NameOf(child))
	}
	slices.Sort(names)
	return names
}

// objectsIn returns how many objects a request has.
func objectsIn(request map[string]any) int {
	count := 0
	for _, part := range []string{"children", "related"} {
		for _, group := range object(request[part]) {
			count += len(object(group))
		}
	}
	return count
}
