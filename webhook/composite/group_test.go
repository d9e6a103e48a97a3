package composite

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

type labelled struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

func (l labelled) GetName() string      { return l.Name }
func (l labelled) GetNamespace() string { return "" }

func TestGroupRefusesWrongLabels(t *testing.T) {
	type things struct {
		Things Group[labelled] `json:"Thing.v1"`
	}
	hook := Sync(func(Request[*corev1.ConfigMap, things, struct{}]) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, nil
	})
	cases := []struct{ reason, labels, message string }{
		{"a label that is not a string", `{"app": 1}`, "children.Thing.v1.a.labels.app: cannot be a number"},
		{"labels that are an array", `["app"]`, "children.Thing.v1.a.labels: cannot be an array"},
	}
	for _, test := range cases {
		body := `{"parent":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"}},"children":{"Thing.v1":{"a":{"name":"a","labels":` +
			test.labels + `}}},"related":{},"finalizing":false}`
		_, err := call(t, hook, body)
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v, want an error with %q", test.reason, err, test.message)
		}
	}
}

// TestGroupKeysRefusesSkippedFields: the group of a field that the decoder skips would be missing in every request.
func TestGroupKeysRefusesSkippedFields(t *testing.T) {
	type thing = Group[labelled]
	unexported := reflect.StructField{Name: "things", PkgPath: "composite", Type: reflect.TypeFor[thing](), Tag: `json:"Thing.v1"`}
	cases := []struct {
		reason string
		groups reflect.Type
		panics bool
	}{
		{"an exported group with a key", reflect.TypeFor[struct {
			Things thing `json:"Thing.v1"`
		}](), false},
		{"no fields", reflect.TypeFor[struct{}](), false},
		{"an unexported field", reflect.StructOf([]reflect.StructField{unexported}), true},
		{"an embedded field of an unexported type", reflect.TypeFor[struct {
			thing `json:"Thing.v1"`
		}](), true},
		{"a tag that skips the field", reflect.TypeFor[struct {
			Things thing `json:"-"`
		}](), true},
		{"no tag", reflect.TypeFor[struct{ Things thing }](), true},
		{"a field that is not a group", reflect.TypeFor[struct {
			Things []labelled `json:"Thing.v1"`
		}](), true},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			defer func() {
				if cause := recover(); (cause != nil) != test.panics {
					t.Errorf("panic %v, want a panic: %t", cause, test.panics)
				}
			}()
			groupKeysOf(test.groups)
		})
	}
}
