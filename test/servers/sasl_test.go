//go:build servers

package servers

import (
	"path/filepath"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestSASLRotation checks that memcached reads the SASL passwords at each login, so that a changed Secret needs no reload and keeps
// every item.
func TestSASLRotation(t *testing.T) {
	c := combination{mode: v1alpha1.AuthSASL}
	s, _, dir := startSecure(t, c.spec(), ca.New())
	c.fill(t, s.address, nil)
	cases := []struct {
		reason, passwords    string
		oldLogsIn, newLogsIn bool
	}{
		{"both passwords are wrong", user + ":other\n", false, false},
		{"a new password", user + ":new\n", false, true},
		{"Windows line ends", user + ":new\r\n", false, true},
		{"no end of the last line", user + ":new", false, true},
		{"two users", "x@shop:" + password + "\n" + user + ":new\n", false, true},
		{"two lines for one user, while clients switch to the new password", user + ":" + password + "\n" + user + ":new\n", true, true},
		{"a line without a user before it", "broken\n" + user + ":new\n", false, true},
		{"no user", "new\n", false, false},
		{"an empty file", "", false, false},
		{"the old password", user + ":" + password + "\n", true, false},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			update(t, filepath.Join(dir, "auth"), map[string][]byte{"passwords": []byte(test.passwords)})
			if err := c.try(s.address, nil, user, password); (err == nil) != test.oldLogsIn {
				t.Errorf("the old password: accepted is %t, want %t: %v", err == nil, test.oldLogsIn, err)
			}
			if err := c.try(s.address, nil, user, "new"); (err == nil) != test.newLogsIn {
				t.Errorf("the new password: accepted is %t, want %t: %v", err == nil, test.newLogsIn, err)
			}
		})
	}
	c.checkItems(t, s.address, nil, password)
}
