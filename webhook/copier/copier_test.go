package copier

import "testing"

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		reason, from, through string
		valid                 bool
	}{
		{"two addresses", "cache-0:11211", "[::1]:11211", true},
		{"an address with the ordinal of an index", "cache-{ordinal}.cache:11211", "cache:11211", true},
		{"no address", "", "cache:11211", false},
		{"a server without a port", "localhost", "cache:11211", false},
		{"proxies without a port", "cache-0:11211", "cache", false},
		{"a port without a host", ":11211", "cache:11211", false},
	} {
		config := Config{From: test.from, Through: test.through, Rate: 1, InFlight: 1}
		if err := config.Check(); (err == nil) != test.valid {
			t.Errorf("%s: got the error %v, want one: %t", test.reason, err, !test.valid)
		}
	}
}
