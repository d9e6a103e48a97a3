package paired

import (
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/copier"
)

// TestByServer: without a proxy, each key has one server, whatever the command is, and a value goes where its key goes.
func TestByServer(t *testing.T) {
	var keys [2]string
	for item := 0; keys[0] == "" || keys[1] == ""; item++ {
		keys[copier.ServerOf([]byte(KeyOf(item)), 2)] = KeyOf(item)
	}
	a, b := keys[0], keys[1]
	for _, test := range []struct{ reason, commands, first, second string }{
		{"a get of several keys", "get " + a + " " + b + "\r\n", "get " + a + "\r\n", "get " + b + "\r\n"},
		{"a command for each key", "mg " + b + " k v\r\nmg " + a + " k v\r\n", "mg " + a + " k v\r\n", "mg " + b + " k v\r\n"},
		{"a key after a time", "gat 0 " + b + "\r\n", "", "gat 0 " + b + "\r\n"},
		{"a value that looks like a command, and another one", "ms " + a + " 5\r\nget x\r\nset " + b + " 0 0 1\r\ny\r\n",
			"ms " + a + " 5\r\nget x\r\n", "set " + b + " 0 0 1\r\ny\r\n"},
	} {
		if got := byServer(test.commands, 2); got[0] != test.first || got[1] != test.second {
			t.Errorf("%s: got %q, want %q and %q", test.reason, got, test.first, test.second)
		}
	}
}

// TestServerWithoutAddress: while the pod of a server is replaced, its keys fail, and clients do not wait for it.
func TestServerWithoutAddress(t *testing.T) {
	c := &connection{to: &Endpoints{Servers: []*Endpoints{{}}}}
	responses, repeated, err := c.do(t.Context(), "get a\r\n")
	if err != nil || repeated || len(responses) != 1 || !strings.HasPrefix(responses[0].line, "SERVER_ERROR ") {
		t.Errorf("got %v, %t and %v, want one error as response", responses, repeated, err)
	}
}
