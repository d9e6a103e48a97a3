package observed

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

// TestMessage: the API server stores messages of more than a megabyte, and ten pods have ten of them.
func TestMessage(t *testing.T) {
	for _, test := range []struct {
		reason, message, want string
		invalid               bool
	}{
		{"a message", `"exit\n"`, "exit\n", false},
		{"no message", `null`, "", false},
		{"one that is longer than any", `"` + strings.Repeat("x", maxMessage) + `"`, "", false},
		{"a number", `1`, "", true},
	} {
		var got PodCondition
		err := jsonv2.Unmarshal([]byte(`{"message":`+test.message+`}`), &got)
		if string(got.Message) != test.want || (err != nil) != test.invalid {
			t.Errorf("%s: got %q, %v", test.reason, got.Message, err)
		}
	}
}
