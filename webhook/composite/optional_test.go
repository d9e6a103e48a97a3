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
	cases := []struct {
		reason, children string
		answers          func(Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) bool
		want, sentence   string
	}{
		{"a kind that is listed may be answered", `{"Secret.v1": {}}`, whereListed, `"kind":"Secret"`, ""},
		{"one that is not need not be observed", `{}`, whereListed, `"children":[]`, ""},
		{"and must not be answered, for it would never be deleted", `{}`, always, "", "does not observe"},
		{"one that is listed is read as strictly as any other", `{"Secret.v1": {"a": {}}}`, whereListed, "", "no metadata.name"},
	}
	for _, test := range cases {
		hook := Sync(func(observed Observed[*corev1.ConfigMap, maybeSecrets, struct{}]) (Desired[configMapStatus], error) {
			var desired Desired[configMapStatus]
			if test.answers(observed) {
				desired.Children = []runtime.Object{secret("", "a")}
			}
			return desired, nil
		})
		got, err := call(t, hook, `{"parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}},
			"children": `+test.children+`, "related": {}, "finalizing": false}`)
		if test.sentence == "" && (err != nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: answered %s, error %v, want %s", test.reason, got, err, test.want)
		}
		if test.sentence != "" && (err == nil || !strings.Contains(err.Error(), test.sentence)) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}
