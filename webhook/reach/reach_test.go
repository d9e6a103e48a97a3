package reach

import (
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/loopback"
)

// TestRead checks which responses show that a proxy reaches a server, and that the error for others, which an Event records, is short.
func TestRead(t *testing.T) {
	for _, test := range []struct{ reason, response, want string }{
		{"no server has the key", "EN", ""},
		{"no server responds", "SERVER_ERROR backend failure", "SERVER_ERROR for all keys"},
		{"another target", "ERROR", `it responds with "ERROR"`},
		{"a long response", strings.Repeat("\x1b", 60_000), `it responds with "\x1b`},
	} {
		err := read(t.Context(), loopback.Serve(t, loopback.Lines(func(string) string { return test.response + "\r\n" })), 0)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if (test.want == "") != (err == nil) || !strings.Contains(message, test.want) || len(message) > 1000 {
			t.Errorf("%s: got the error %.1000q, want %q", test.reason, message, test.want)
		}
	}
}
