package composite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/example/memcached-operator/webhook/text"
)

// RequestError reports that a request is not one that Metacontroller sends: invalid JSON, or an incomplete observed state.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// ParentError reports that the parent is invalid. Its author reads the message in an Event and can fix the parent.
type ParentError struct{ Err error }

func (e *ParentError) Error() string { return e.Err.Error() }
func (e *ParentError) Unwrap() error { return e.Err }

// RetryError reports that the hook cannot decide yet, such as before a Secret exists, or is busy. Metacontroller syncs again after the time, in whole
// seconds and at least one, instead of its backoff of up to 16 minutes.
//
// Until then it changes no child, and it writes no status and no Event: users see nothing. A hook that can return a status returns
// [Desired] with a condition and ResyncAfter instead. An event of the parent, a child or a related object causes a sync at any time.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/hooks/webhook.go
type RetryError struct {
	Err   error
	After time.Duration
}

func (e *RetryError) Error() string { return e.Err.Error() }
func (e *RetryError) Unwrap() error { return e.Err }

// ReadError reports that the body of a request could not be read.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "reading the request: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

func refuse(format string, args ...any) error {
	return &RequestError{Err: fmt.Errorf(format, args...)}
}

// explain turns a decoder's error into one sentence and one of the types above. A ReadError comes first, because the decoder
// wraps it in errors about the JSON.
func explain(err error) error {
	if unread, ok := errors.AsType[*ReadError](err); ok {
		return unread
	}
	if refused, ok := errors.AsType[*RequestError](err); ok {
		return refused
	}
	if invalid, ok := errors.AsType[*ParentError](err); ok {
		return invalid
	}
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		return explainSemantic(semantic)
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return refuse("the request is not valid JSON: %s", text.Value(strings.TrimPrefix(syntactic.Error(), "jsontext: ")))
	}
	return fmt.Errorf("reading the request: %w", err)
}

func explainSemantic(err *jsonv2.SemanticError) error {
	path := dotted(err.JSONPointer)
	problem := "cannot be " + kindName(err.JSONKind)
	if err.JSONKind == jsontext.KindNumber && len(err.JSONValue) > 0 {
		problem = fmt.Sprintf("%s is not a valid %s", text.Value(err.JSONValue), err.GoType)
	}
	if err.JSONKind == jsontext.KindString && err.GoType != nil && strings.HasSuffix(err.GoType.String(), "resource.Quantity") {
		problem = "is not a quantity. Use a number with a unit such as Mi or Gi, for example 64Mi"
	}
	if errors.Is(err, text.ErrDeep) {
		problem = text.ErrDeep.Error()
	}
	if path == "" {
		return refuse("the request %s", problem)
	}
	if field, inParent := strings.CutPrefix(path, "parent."); inParent {
		return &ParentError{Err: fmt.Errorf("%s: %s", field, problem)}
	}
	return refuse("%s: %s", path, problem)
}
