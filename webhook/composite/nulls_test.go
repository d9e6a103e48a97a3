package composite

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestNullsOf(t *testing.T) {
	for _, test := range []struct {
		reason, parent string
		want           []string
	}{
		{"nothing is null", `{"spec": {"size": 1, "text": "null"}}`, nil},
		{"fields of spec", `{"spec": {"proxy": null, "metrics": {"serviceMonitor": null}}}`, []string{"spec.proxy", "spec.metrics.serviceMonitor"}},
		{"Go clients send null outside of spec", `{"metadata": {"creationTimestamp": null}, "status": {"nodes": null}}`, nil},
		{"the API server refuses null in lists", `{"spec": {"from": [null]}}`, nil},
		{"a message names a few", `{"spec": {"a": null, "b": null, "c": null, "d": null, "e": null, "f": null, "g": null, "h": null, "i": null, "j": null, "k": null}}`,
			[]string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f", "spec.g", "spec.h", "spec.i", "spec.j"}},
	} {
		if diff := cmp.Diff(test.want, nullsOf(jsontext.Value(test.parent))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
