package text

import "testing"

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

func TestDepthOfJSON(t *testing.T) {
	for document, want := range map[string]int{``: 0, `1`: 0, `[]`: 1, `[{"a":[]},{}]`: 3, `["[[[\"[",{}]`: 2} {
		if got := DepthOfJSON(document); got != want {
			t.Errorf("%s: %d, want %d", document, got, want)
		}
	}
}
