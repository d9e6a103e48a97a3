package composite

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/text"
)

type labelled struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Deep   deep              `json:"deep"`
}

func (l labelled) GetName() string      { return l.Name }
func (l labelled) GetNamespace() string { return "" }

// deep refuses any value.
type deep struct{}

func (*deep) UnmarshalJSONFrom(*jsontext.Decoder) error { return text.ErrDeep }

func TestGroupRefusesWrongObjects(t *testing.T) {
	type things struct {
		Things Group[labelled] `json:"Thing.v1"`
	}
	hook := Sync(func(Request[*corev1.ConfigMap, things, struct{}]) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, nil
	})
	cases := []struct{ reason, member, message string }{
		{"a label that is not a string", `"labels":{"app": 1}`, "children.Thing.v1.a.labels.app: cannot be a number"},
		{"labels that are an array", `"labels":["app"]`, "children.Thing.v1.a.labels: cannot be an array"},
		{"a part with too many levels", `"deep":{}`, "children.Thing.v1.a.deep: has more than 100 lists and objects in each other"},
	}
	for _, test := range cases {
		body := `{"parent":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"}},"children":{"Thing.v1":{"a":{"name":"a",` +
			test.member + `}}},"related":{},"finalizing":false}`
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
