package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

func TestConfig(t *testing.T) {
	field := func(name string, servers ...string) string {
		return "    " + name + " = {\n        \"" + strings.Join(servers, "\",\n        \"") + "\",\n    },\n"
	}
	for _, test := range []struct {
		reason, routes, want string
	}{
		{"without a change, the proxies know the servers of one size", "0-2", field("to", "a:1", "b:1", "c:1")},
		{"in a growth, the new servers come last", "0-0_0-2_preparing",
			field("to", "a:1", "b:1", "c:1") + field("from", "a:1") + "    phase = \"preparing\",\n"},
		{"a server that is removed is known until the end", "0-3_0-2_closing",
			field("to", "a:1", "b:1", "c:1") + field("from", "a:1", "b:1", "c:1", "d:1") + "    phase = \"closing\",\n"},
	} {
		routes, servers := scaling.ParseRoutes(test.routes), []string{"a:1", "b:1", "c:1", "d:1"}
		got := Config(servers[:routes.From.Count], servers[:routes.To.Count], routes.Phase)
		if diff := cmp.Diff("servers{\n"+test.want+"}\n", got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
