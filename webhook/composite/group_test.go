package composite

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type labelled struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

func (l labelled) GetName() string      { return l.Name }
func (l labelled) GetNamespace() string { return "" }

// TestGroupSharesEqualMaps: a map that is taken over must be the very map that would have been read.
func TestGroupSharesEqualMaps(t *testing.T) {
	var group Group[labelled]
	err := json.Unmarshal([]byte(`{
		"1": {"name": "a", "labels": {"app": "x"}},
		"2": {"name": "b", "labels": {"app": "x"}},
		"3": {"name": "c", "labels": {"app": "y"}},
		"4": {"name": "d"},
		"5": {"name": "e", "labels": null},
		"6": {"name": "f", "labels": {}},
		"7": {"name": "g", "labels": {"app": "y"}}}`), &group)
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{"app": "x"}, {"app": "x"}, {"app": "y"}, nil, nil, {}, {"app": "y"}}
	var got []map[string]string
	for object := range group.All() {
		got = append(got, object.Labels)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels of one object became those of another (-want +got):\n%s", diff)
	}
}

func TestGroupRefusesWrongLabels(t *testing.T) {
	type things struct {
		Things Group[labelled] `json:"Thing.v1"`
	}
	hook := Sync(func(Observed[*corev1.ConfigMap, things, struct{}]) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, nil
	})
	handle := Controller{Parent: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Sync: hook}.Handlers()["sync"]
	cases := []struct{ reason, labels, sentence string }{
		{"a label that is no string", `{"app": 1}`, "children.Thing.v1.a.labels.app: cannot be a number"},
		{"labels that are a list", `["app"]`, "children.Thing.v1.a.labels: cannot be an array"},
		{"a label twice", `{"app": "x", "app": "y"}`, "duplicate"},
	}
	for _, test := range cases {
		body := `{"parent":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"}},"children":{"Thing.v1":{"a":{"name":"a","labels":` +
			test.labels + `}}},"related":{},"finalizing":false}`
		_, err := handle(strings.NewReader(body), metav1.Time{})
		if err == nil || !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}

// TestGroupKeysRefusesWhatIsNotDecoded: the group of a field that the decoder skips would be missing in every request.
func TestGroupKeysRefusesWhatIsNotDecoded(t *testing.T) {
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
		{"no group at all", reflect.TypeFor[struct{}](), false},
		{"an unexported field", reflect.StructOf([]reflect.StructField{unexported}), true},
		{"an embedded field of an unexported type", reflect.TypeFor[struct {
			thing `json:"Thing.v1"`
		}](), true},
		{"a tag that says to skip the field", reflect.TypeFor[struct {
			Things thing `json:"-"`
		}](), true},
		{"no tag", reflect.TypeFor[struct{ Things thing }](), true},
		{"no group", reflect.TypeFor[struct {
			Things []labelled `json:"Thing.v1"`
		}](), true},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			defer func() {
				if cause := recover(); (cause != nil) != test.panics {
					t.Errorf("panic %v, want one: %t", cause, test.panics)
				}
			}()
			groupKeysOf(test.groups)
		})
	}
}
