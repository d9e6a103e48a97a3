package composite

import (
	"errors"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waiting is a body whose rest arrives after a wait, as a request to the server that has to wait.
type waiting struct {
	io.Reader
	rest       string
	namespaces []string
	err        error
}

func (w *waiting) Wait(namespace string) error {
	w.namespaces = append(w.namespaces, namespace)
	w.Reader = io.MultiReader(w.Reader, strings.NewReader(w.rest))
	return w.err
}

// TestWaiter: hooks that get objects wait with the namespace of its parent, and before it reads what the author of the parent can make large.
func TestWaiter(t *testing.T) {
	hooks := map[string]Hook{
		"sync":     Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil }),
		"finalize": Finalize(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil }),
	}
	for name, hook := range hooks {
		request := strings.NewReplacer("false", map[bool]string{true: "true", false: "false"}[name == "finalize"]).Replace(wholeRequest)
		end := strings.Index(request, `"children"`)
		metadata := strings.LastIndex(request[:end], "}}") + 1
		for _, want := range []error{nil, errors.New("busy")} {
			body := &waiting{Reader: strings.NewReader(request[:metadata]), rest: request[metadata:], err: want}
			_, err := hook.Handle(configMapKind, body, metav1.Time{})
			if _, isRead := errors.AsType[*ReadError](err); !errors.Is(err, want) || (want != nil) != isRead {
				t.Errorf("%s: got the error %v, want %v from reading", name, err, want)
			}
			if len(body.namespaces) != 1 || body.namespaces[0] != `"n"` {
				t.Errorf(`%s: waited with the namespaces %q, want once with "n" before spec, children and related objects`, name, body.namespaces)
			}
		}
	}
}
