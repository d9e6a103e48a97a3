package merge

import (
	"testing"

	"github.com/example/memcached-operator/webhook/observed"
)

// TestSettled: what an apply would write again after each event is not settled.
func TestSettled(t *testing.T) {
	for _, test := range []struct {
		reason, last, observed string
		want                   bool
	}{
		{"the API server has set a default", `{"a":1}`, `{"a":1,"b":2}`, true},
		{"it has dropped an empty field", `{"a":{"b":{}}}`, `{"a":{}}`, false},
		{"it stores a value in another form", `{"cpu":"1000m"}`, `{"cpu":"1"}`, false},
		{"a selector in a list without a key", `{"l":[{"a":{"b":1}}]}`, `{"l":[{"a":{"c":1}}]}`, false},
		{"ports with the same number in a list without a key", `{"l":[{"ports":[{"port":53,"p":"UDP"},{"port":53,"p":"TCP"}]}]}`,
			`{"l":[{"ports":[{"port":53,"p":"UDP"},{"port":53,"p":"TCP"}]}]}`, true},
		{"such ports elsewhere, which an apply makes equal", `{"ports":[{"port":53,"p":"UDP"},{"port":53,"p":"TCP"}]}`, `{"ports":[{"port":53,"p":"UDP"},{"port":53,"p":"TCP"}]}`, false},
		{"what was applied last is unknown", ``, `{"a":1}`, false},
	} {
		child := &observed.Child{Spec: []byte(test.observed)}
		if test.last != "" {
			child.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"spec":` + test.last + `}`}
		}
		if got := Settled(child); got != test.want {
			t.Errorf("%s: settled is %t", test.reason, got)
		}
	}
	child := &observed.Child{Spec: []byte(`{}`)}
	child.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"metadata":{"labels":{"a":"b"}},"spec":{}}`}
	if Settled(child) {
		t.Error("a child that has lost a label is settled")
	}
	if child.Labels = map[string]string{"a": "b", "c": "d"}; !Settled(child) {
		t.Error("a child with another label is not settled")
	}
}
