package text

import (
	"strings"
	"testing"
)

func TestCountInJSON(t *testing.T) {
	for _, test := range []struct {
		reason, document string
		want             int
	}{
		{"nothing", ``, 0},
		{"values", `{"a":[1,2],"b":{}}`, 5},
		{"a text of a user", `{"a":"1,2,{[,\",3"}`, 1},
		{"the end of a text that ends with a backslash", `["a\\\\",1]`, 2},
	} {
		if got := CountInJSON(test.document, ",{["); got != test.want {
			t.Errorf("%s: %d, want %d", test.reason, got, test.want)
		}
	}
}

// TestIsDeep: brackets in strings are no levels.
func TestIsDeep(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`[{"a":`, levels/2) + "1" + strings.Repeat("}]", levels/2)
	}
	for _, test := range []struct {
		reason, document string
		want             bool
	}{
		{"nothing", "", false},
		{"as deep as objects may be", nested(MaxDepth), false},
		{"deeper", nested(MaxDepth + 2), true},
		{"a string", `"` + strings.Repeat("[", MaxDepth+1) + `"`, false},
		{"lists beside each other", "[" + strings.Repeat("[],", MaxDepth) + "[]]", false},
	} {
		if got := IsDeep(test.document); got != test.want {
			t.Errorf("%s: IsDeep is %t", test.reason, got)
		}
	}
}
