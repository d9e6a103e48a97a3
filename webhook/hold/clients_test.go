package hold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestListing checks which connections of "stats conns" are remote clients. The lines are of memcached 1.6.45.
func TestListing(t *testing.T) {
	connection := func(fd int, address, state string) string {
		return fmt.Sprintf("STAT %d:addr %s\nSTAT %[1]d:listen_addr tcp:10.0.0.1:11211\nSTAT %[1]d:state %[3]s\nSTAT %[1]d:secs_since_last_cmd 0\n", fd, address, state)
	}
	var crowd strings.Builder
	for port := range maxClients + 1 {
		crowd.WriteString(connection(port, fmt.Sprintf("tcp:10.0.%d.%d:4711", port/256, port%256), "conn_read"))
	}
	cases := []struct {
		reason, lines string
		want          clients
		err           string
	}{
		{"only listeners", "STAT 26:addr tcp:0.0.0.0:11211\nSTAT 26:state conn_listening\nSTAT 27:addr tcp6:[::]:11211\nSTAT 27:state conn_listening\n", clients{}, ""},
		{"the sidecar, and the exporter", connection(28, "tcp:127.0.0.1:4711", "conn_parse_cmd") + connection(29, "tcp6:[::1]:4711", "conn_new_cmd") + connection(30, "tcp6:[::ffff:127.0.0.1]:4711", "conn_read"), clients{}, ""},
		{"clients of both families", connection(28, "tcp:192.0.2.1:4711", "conn_read") + connection(29, "tcp6:[2001:db8::1]:4711", "conn_waiting") + connection(30, "tcp6:[::ffff:192.0.2.2]:4711", "conn_read"),
			clients{"192.0.2.1": true, "2001:db8::1": true, "192.0.2.2": true}, ""},
		{"a client with two connections", connection(28, "tcp:192.0.2.1:4711", "conn_read") + connection(29, "tcp:192.0.2.1:4712", "conn_read"), clients{"192.0.2.1": true}, ""},
		{"a service mesh in the pod", connection(28, "tcp:127.0.0.6:4711", "conn_read"), clients{"127.0.0.6": true}, ""},
		{"a socket file, which only the pod has", connection(28, "unix:/run/memcached.sock", "conn_read"), clients{}, ""},
		{"an address of another version", connection(28, "tls:somewhere", "conn_read"), clients{"tls:somewhere": true}, ""},
		{"a long address, which would need much memory", connection(28, "tls:"+strings.Repeat("a", 60_000), "conn_read"), clients{"tls:" + strings.Repeat("a", 124): true}, ""},
		{"too many clients", crowd.String(), nil, errCrowded.Error()},
		{"all connections are in use", "ERROR Too many open connections\n", nil, errCrowded.Error()},
		{"another response", "ERROR\n", nil, `memcached responds with "ERROR"`},
	}
	for _, test := range cases {
		l, message := listing{clients: clients{}}, ""
		for line := range strings.Lines(test.lines) {
			if err := l.add([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
				l.clients, message = nil, err.Error()
				break
			}
		}
		if diff := cmp.Diff(test.want, l.clients); diff != "" || message != test.err {
			t.Errorf("%s: the error is %q, want %q (clients -want +got):\n%s", test.reason, message, test.err, diff)
		}
	}
}
