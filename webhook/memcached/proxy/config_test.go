package proxy

import (
	"testing"
)

// TestCommonDomain checks which part of the servers a configuration has once.
func TestCommonDomain(t *testing.T) {
	for _, test := range []struct {
		reason  string
		servers []string
		want    string
	}{
		{"the pods of a StatefulSet", []string{"c-0.c.web.svc:1", "c-10.c.web.svc:1"}, ".c.web.svc:1"},
		{"another port", []string{"c-0.c.web.svc:1", "c-1.c.web.svc:2"}, ""},
		{"addresses", []string{"127.0.0.1:1", "127.0.0.1:2"}, ""},
		{"no domain", []string{"c-0:1", "c-1:1"}, ""},
	} {
		if got := commonDomain(test.servers); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
