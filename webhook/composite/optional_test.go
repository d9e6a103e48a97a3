package composite

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type maybeSecrets struct {
	Secrets OptionalGroup[view] `json:"Secret.v1"`
}

func TestOptionalGroup(t *testing.T) {
	always := func(Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool { return true }
	ifListed := func(observed Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool {
		return observed.Children.Secrets.Listed()
	}
	const lists = `"controller": {"spec": {"childResources": [{"apiVersion": "v1", "resource": "secrets"}]}},`
	const listsNone = `"controller": {},`
	cases := []struct {
		reason, controller, children string
		returnsSecret                func(Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool
		want, message                string
	}{
		{"a listed kind may be returned", lists, `{"Secret.v1": {}}`, ifListed, `"kind":"Secret"`, ""},
		{"a kind that is not listed need not be observed", listsNone, `{}`, ifListed, `"children":[]`, ""},
		{"another version of the kind is listed", strings.Replace(lists, "v1", "v2", 1), `{}`, ifListed, `"children":[]`, ""},
		{"a kind that is not listed must not be returned, because it would never be deleted", listsNone, `{}`, always, "", "does not observe"},
		{"a listed kind is checked like any other kind", lists, `{"Secret.v1": {"a": {}}}`, ifListed, "", "no metadata.name"},
		{"a listed kind that is not observed would be deleted", lists, `{}`, ifListed, "", "although childResources"},
		{"without the controller it is unknown whether the kind is listed", "", `{}`, ifListed, "", "no controller"},
	}
	for _, test := range cases {
		hook := Sync(func(observed Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) (Desired[configMapStatus], error) {
			var desired Desired[configMapStatus]
			if test.returnsSecret(observed) {
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
