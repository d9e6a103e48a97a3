package composite

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestNullsOf(t *testing.T) {
	for _, test := range []struct {
		reason, spec string
		want         []string
	}{
		{"nothing is null", `{"size": 1, "text": "null"}`, nil},
		{"fields of spec", `{"proxy": null, "metrics": {"serviceMonitor": null}}`, []string{"spec.proxy", "spec.metrics.serviceMonitor"}},
		{"the name of a label has a slash", `{"podLabels": {"example.com/team": null}}`, []string{"spec.podLabels.example.com/team"}},
		{"there is no spec", ``, nil},
		{"spec itself is null", `null`, nil},
		{"the API server refuses null in lists", `{"from": [null]}`, nil},
		{"a message names a few", `{"a": null, "b": null, "c": null, "d": null, "e": null, "f": null, "g": null, "h": null, "i": null, "j": null, "k": null}`,
			[]string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f", "spec.g", "spec.h", "spec.i", "spec.j"}},
	} {
		if diff := cmp.Diff(test.want, nullsOf(jsontext.Value(test.spec))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
