package moves

import (
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestRecordedServers checks that status has the servers of each phase: keys belong to the servers that serve.
func TestRecordedServers(t *testing.T) {
	cases := []struct {
		reason, label  string
		servers, other string
	}{
		{"no change", "0-2", "0-2", ""},
		{"the other servers may not run yet", "0-2_0-3_announcing", "0-2", ""},
		{"items are about to move to the other servers", "0-2_0-3_preparing", "0-2", "0-3"},
		{"items move away from the other servers", "0-2_0-3_warming", "0-3", "0-2"},
		{"what is left on the other servers is given up", "0-2_0-3_closing", "0-3", "0-2"},
		{"a decrease is about to begin", "0-3_0-2_preparing", "0-3", "0-2"},
		{"a decrease", "0-3_0-2_warming", "0-2", "0-3"},
	}
	for _, test := range cases {
		status := record(ParseRoutes(test.label), v1alpha1.Revision{}, Report{})
		if status.Servers != test.servers || status.OtherServers != test.other {
			t.Errorf("%s: servers %q serve and the others are %q, want %q and %q", test.reason, status.Servers, status.OtherServers, test.servers, test.other)
		}
	}
}
