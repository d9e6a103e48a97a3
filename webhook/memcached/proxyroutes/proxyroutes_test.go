package proxyroutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfig(t *testing.T) {
	const three = "servers{\n    current = {\n        \"a:1\",\n        \"b:1\",\n        \"c:1\",\n    },\n"
	const one = "    previous = {\n        \"a:1\",\n    },\n"
	for _, test := range []struct {
		reason string
		change *Change
		want   string
	}{
		{"without a change there is one list", nil, three + "}\n"},
		{"before the first move, marks have no end", &Change{From: []string{"a:1"}, Phase: Preparing},
			three + one + "    phase = \"preparing\",\n    marks_end = 0,\n}\n"},
		{"marks of a growth end", &Change{From: []string{"a:1"}, Phase: Warming, MarksEnd: 1234},
			three + one + "    phase = \"warming\",\n    marks_end = 1234,\n}\n"},
		{"a removed server is known until the end", &Change{From: []string{"a:1", "b:1", "c:1", "d:1"}, Phase: Closing},
			three + "    previous = {\n        \"a:1\",\n        \"b:1\",\n        \"c:1\",\n        \"d:1\",\n    },\n" +
				"    phase = \"closing\",\n    marks_end = 0,\n}\n"},
		{"equal lists move no key", &Change{From: []string{"a:1", "b:1", "c:1"}, Phase: Warming}, three + "}\n"},
		{"other servers have other keys", &Change{From: []string{"b:1", "c:1"}, Phase: Warming}, three + "}\n"},
		{"a change without a phase is none", &Change{From: []string{"a:1"}}, three + "}\n"},
	} {
		if diff := cmp.Diff(test.want, Config([]string{"a:1", "b:1", "c:1"}, test.change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
