package scaling

import "testing"

// TestRecordedServers checks that status has the servers of each phase: keys belong to the servers that serve.
func TestRecordedServers(t *testing.T) {
	cases := []struct {
		reason, label   string
		serving, second int32
	}{
		{"no change", "3", 3, 0},
		{"the second servers may not run yet", "3-4-announcing", 3, 0},
		{"items are about to move to the second servers", "3-4-preparing", 3, 4},
		{"items move away from the second servers", "3-4-warming", 4, 3},
		{"what is left on the second servers is given up", "3-4-closing", 4, 3},
		{"a decrease is about to begin", "4-3-preparing", 4, 3},
		{"a decrease", "4-3-warming", 3, 4},
	}
	for _, test := range cases {
		status := record(ParseRoutes(test.label))
		if status.ServingServers != test.serving || status.SecondServers != test.second {
			t.Errorf("%s: %d servers serve and %d are second, want %d and %d", test.reason, status.ServingServers, status.SecondServers, test.serving, test.second)
		}
	}
}
