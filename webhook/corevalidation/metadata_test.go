package corevalidation

import (
	"strings"
	"testing"
)

func TestAnnotations(t *testing.T) {
	cases := []struct {
		reason      string
		annotations map[string]string
		want        string
	}{
		{"none", nil, ""},
		{"capitals", map[string]string{"Example.com/A": "b"}, ""},
		{"an invalid key", map[string]string{"a b": "c"}, "spec: Invalid value"},
		{"just below the limit", map[string]string{"a": strings.Repeat("b", 119<<10)}, ""},
		{"too large together with its copy", map[string]string{"a": strings.Repeat("b", 120<<10)}, "spec: Forbidden"},
		{"too large as JSON", map[string]string{"a": strings.Repeat("<", 21<<10)}, "spec: Forbidden"},
		{"too large for any object", map[string]string{"a": strings.Repeat("b", 257<<10)}, "spec: Too long"},
	}
	for _, test := range cases {
		expect(t, test.reason, Annotations(specPath, test.annotations), test.want)
	}
}
