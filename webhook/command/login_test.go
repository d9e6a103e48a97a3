package command

import "testing"

// TestLogin checks which user and password of a file the server gets.
func TestLogin(t *testing.T) {
	for _, test := range []struct{ reason, user, content, wantUser, wantPassword, err string }{
		{"only a password", "bob", "secret\n", "bob", "secret", ""},
		{"only a password, which has a colon", "bob", "se:cret\n", "bob", "se:cret", ""},
		{"the line of the user", "bob", "alice:1\nbob:2\n", "bob", "2", ""},
		{"the first line without a user", "", "alice:1\r\nbob:2\r\n", "alice", "1", ""},
		{"a misspelled user", "bobb", "alice:1\nbob:2\n", "", "", `user "bobb" is not in FILE`},
		{"lines without users", "", "one\ntwo\n", "", "", `FILE has several lines, but none has the form user:password`},
	} {
		user, password, err := login(test.user, "FILE", test.content)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if user != test.wantUser || password != test.wantPassword || message != test.err {
			t.Errorf("%s: got the user %q, the password %q and the error %q, want %+v", test.reason, user, password, message, test)
		}
	}
}

// TestWithPort checks the default port of an address.
func TestWithPort(t *testing.T) {
	for address, want := range map[string]string{
		"a": "a:11211", "a:1": "a:1", "10.0.0.1": "10.0.0.1:11211", "::1": "[::1]:11211", "[::1]": "[::1]:11211", "[::1]:1": "[::1]:1",
		"": "", ":1": "", "a:": "", "a:1:2": "", "[::1%\x1bc]:1": "", "[::1%\u202e]:1": "",
	} {
		if got := withPort(address); got != want {
			t.Errorf("withPort(%q) is %q, want %q", address, got, want)
		}
	}
}
