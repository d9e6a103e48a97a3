package composite

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type maybeSecrets struct {
	Secrets Group[observedObject] `json:"Secret.v1" composite:"optional"`
}

func TestOptionalKind(t *testing.T) {
	always := func(Request[*corev1.ConfigMap, maybeSecrets, struct{}]) bool { return true }
	ifListed := func(request Request[*corev1.ConfigMap, maybeSecrets, struct{}]) bool {
		return request.ListedKinds().Has("Secret")
	}
	const lists = `"controller": {"spec": {"childResources": [{"apiVersion": "v1", "resource": "secrets"}]}},`
	const listsNone = `"controller": {},`
	cases := []struct {
		reason, controller, children string
		returnsSecret                func(Request[*corev1.ConfigMap, maybeSecrets, struct{}]) bool
		want, message                string
	}{
		{"a listed kind may be returned", lists, `{"Secret.v1": {}}`, ifListed, `"kind":"Secret"`, ""},
		{"a kind that is not listed need not be observed", listsNone, `{}`, ifListed, `"children":[]`, ""},
		{"another version of the kind is listed", strings.Replace(lists, "v1", "v2", 1), `{}`, ifListed, `"children":[]`, ""},
		{"a kind that is not listed must not be returned, because it would never be deleted", listsNone, `{}`, always, "", "does not observe"},
		{"a listed kind is checked like any other kind", lists, `{"Secret.v1": {"a": {}}}`, ifListed, "", "no metadata.name"},
		{"a listed kind that is not observed would be deleted", lists, `{}`, ifListed, "", "although childResources"},
		{"without the controller, the observed kinds count as listed", "", `{"Secret.v1": {}}`, ifListed, `"kind":"Secret"`, ""},
		{"without the controller, the other kinds do not count as listed", "", `{}`, ifListed, `"children":[]`, ""},
	}
	for _, test := range cases {
		hook := Sync(func(request Request[*corev1.ConfigMap, maybeSecrets, struct{}]) (Desired[configMapStatus], error) {
			var desired Desired[configMapStatus]
			if test.returnsSecret(request) {
				desired.Children = []runtime.Object{secret("", "a")}
			}
			return desired, nil
		})
		got, err := call(t, hook, `{`+test.controller+` "parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}},
			"children": `+test.children+`, "related": {}, "finalizing": false}`)
		if test.message == "" && (err != nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: response %s, error %v, want %s", test.reason, got, err, test.want)
		}
		if test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want an error with %q", test.reason, err, test.message)
		}
	}
}

// TestWithoutController checks requests that a person wrote. Metacontroller always sends the controller.
func TestWithoutController(t *testing.T) {
	type groups struct {
		Secrets Group[observedObject] `json:"Secret.v1"`
		Pods    Group[observedObject] `json:"Pod.v1" composite:"optional"`
	}
	hook := Sync(func(request Request[*corev1.ConfigMap, groups, pods]) (Desired[configMapStatus], error) {
		if request.Children.Pods.Listed() {
			return Desired[configMapStatus]{Status: configMapStatus{Seen: []string{"Pod"}}}, nil
		}
		return Desired[configMapStatus]{}, nil
	})
	const parent = `"parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"}}`
	namespaced := strings.Replace(parent, `"p"`, `"p", "namespace": "n"`, 1)
	cases := []struct{ reason, body, want, message string }{
		{"every kind counts as listed and empty", `{` + parent + `}`, `"seen":["Pod"]`, ""},
		{"the groups that are present count as listed", `{` + parent + `, "children": {"Secret.v1": {}}}`, `"seen":null`, ""},
		{"a kind that every CompositeController must list", `{` + parent + `, "children": {}}`, "", "has no Secret.v1"},
		{"null children are no children", `{` + parent + `, "children": null}`, "", "children: must be an object"},
		{"null related is no related", `{` + parent + `, "related": null}`, "", "related: must be an object"},
		{"related objects are optional one by one", `{` + parent + `, "related": {}}`, `"seen":["Pod"]`, ""},
		{"the sync hook is not for a parent that is being deleted", `{` + parent + `, "finalizing": true}`, "", "finalizing is true"},
		{"null is not a missing controller", `{"controller": null, ` + parent + `}`, "", "controller: must be an object"},
		{"a list is not a controller", `{"controller": [], ` + parent + `}`, "", "controller: must be an object"},
		{"two controllers", `{"controller": {}, "controller": {}, ` + namespaced + `}`, "", "controller: the request has it twice"},
		{"two groups of a kind", `{` + parent + `, "children": {"Secret.v1": {}, "Secret.v1": {}}}`, "", "children.Secret.v1: the request has it twice"},
		{"Metacontroller sends the namespace", `{"controller": {}, ` + parent + `, "children": {"Secret.v1": {}}, "related": {"Pod.v1": {}}}`, "", "the parent has no metadata.namespace"},
		{"Metacontroller sends children", `{"controller": {}, ` + namespaced + `}`, "", "the request has no children"},
		{"Metacontroller sends related", `{"controller": {}, ` + namespaced + `, "children": {"Secret.v1": {}}}`, "", "the request has no related"},
		{"Metacontroller sends a group for each rule", `{"controller": {}, ` + namespaced + `, "children": {"Secret.v1": {}}, "related": {}}`, "", "related has no Pod.v1"},
	}
	for _, test := range cases {
		got, err := call(t, hook, test.body)
		if test.message == "" && (err != nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: response %s, error %v, want %s", test.reason, got, err, test.want)
		}
		if test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want an error with %q", test.reason, err, test.message)
		}
	}
}
