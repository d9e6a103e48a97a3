package composite

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// RequestError says that a request is not one that Metacontroller sends: broken JSON, or an incomplete observation.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// ParentError says that the parent itself is invalid: its author can mend it, and will read the sentence in an Event.
type ParentError struct{ Err error }

func (e *ParentError) Error() string { return e.Err.Error() }
func (e *ParentError) Unwrap() error { return e.Err }

// ReadError reports that the body of a request could not be read. It says nothing about the request or the hook.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "reading the request: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

func refuse(format string, args ...any) error {
	return &RequestError{Err: fmt.Errorf(format, args...)}
}

// explain turns a decoder's error into one sentence and says whose fault it is. An error of reading the body comes first:
// the decoder wraps it in errors that blame the JSON.
func explain(err error) error {
	if unread, ok := errors.AsType[*ReadError](err); ok {
		return unread
	}
	var refused *RequestError
	if errors.As(err, &refused) {
		return refused
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return explainSemantic(semantic)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return refuse("request is not valid JSON: %s", strings.TrimPrefix(syntactic.Error(), "jsontext: "))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("request is not valid JSON: it ends too early")
	}
	return fmt.Errorf("reading the request: %w", err)
}

func explainSemantic(err *json.SemanticError) error {
	path := dotted(err.JSONPointer)
	complaint := "cannot be " + kindName(err.JSONKind)
	if err.JSONKind == jsontext.KindNumber && len(err.JSONValue) > 0 {
		complaint = fmt.Sprintf("%s is not a valid %s", err.JSONValue, err.GoType)
	}
	if path == "" {
		return refuse("request %s", complaint)
	}
	if field, inParent := strings.CutPrefix(path, "parent."); inParent {
		return &ParentError{Err: fmt.Errorf("%s: %s", field, complaint)}
	}
	return refuse("%s: %s", path, complaint)
}
