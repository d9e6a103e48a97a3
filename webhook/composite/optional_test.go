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
	whereListed := func(observed Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool {
		return observed.Children.Secrets.Listed()
	}
	const lists = `"controller": {"spec": {"childResources": [{"apiVersion": "v1", "resource": "secrets"}]}},`
	const listsNone = `"controller": {},`
	cases := []struct {
		reason, controller, children string
		answers                      func(Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool
		want, sentence               string
	}{
		{"a kind that is listed may be answered", lists, `{"Secret.v1": {}}`, whereListed, `"kind":"Secret"`, ""},
		{"one that is not need not be observed", listsNone, `{}`, whereListed, `"children":[]`, ""},
		{"nor one of that name in another version", strings.Replace(lists, "v1", "v2", 1), `{}`, whereListed, `"children":[]`, ""},
		{"and must not be answered, for it would never be deleted", listsNone, `{}`, always, "", "does not observe"},
		{"one that is listed is read as strictly as any other", lists, `{"Secret.v1": {"a": {}}}`, whereListed, "", "no metadata.name"},
		{"one that is listed and not observed was lost on the way, and would be deleted", lists, `{}`, whereListed, "", "although childResources"},
		{"without the controller nobody knows whether it is listed", "", `{}`, whereListed, "", "no controller"},
	}
	for _, test := range cases {
		hook := Sync(func(observed Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) (Desired[configMapStatus], error) {
			var desired Desired[configMapStatus]
			if test.answers(observed) {
				desired.Children = []runtime.Object{secret("", "a")}
			}
			return desired, nil
		})
		got, err := call(t, hook, `{`+test.controller+` "parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}},
			"children": `+test.children+`, "related": {}, "finalizing": false}`)
		if test.sentence == "" && (err != nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: answered %s, error %v, want %s", test.reason, got, err, test.want)
		}
		if test.sentence != "" && (err == nil || !strings.Contains(err.Error(), test.sentence)) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}
