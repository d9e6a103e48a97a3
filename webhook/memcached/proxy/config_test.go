package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

func TestConfig(t *testing.T) {
	field := func(name string, servers ...string) string {
		return "    " + name + " = {\n        \"" + strings.Join(servers, "\"..domain,\n        \"") + "\"..domain,\n    },\n"
	}
	for _, test := range []struct {
		reason, routes, want string
	}{
		{"without a change, the proxies know the servers of one size", "0-2", field("to", "a", "b", "c")},
		{"in a growth, the new servers come last", "0-0_0-2_preparing",
			field("to", "a", "b", "c") + field("from", "a") + "    phase = \"preparing\",\n"},
		{"a server that is removed is known until the end", "0-3_0-2_closing",
			field("to", "a", "b", "c") + field("from", "a", "b", "c", "d") + "    phase = \"closing\",\n"},
	} {
		routes, servers := scaling.ParseRoutes(test.routes), []string{"a.x:1", "b.x:1", "c.x:1", "d.x:1"}
		got := Config(servers[:routes.From.Slots.Count], servers[:routes.To.Slots.Count], routes.Phase)
		if diff := cmp.Diff("local domain = \".x:1\"\nservers{\n"+test.want+"}\n", got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

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
