package client

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStats(t *testing.T) {
	connection := connect(t, serve(t, "STAT items:1:number 5\r\nSTAT inter \r\nEND\r\n", "ERROR\r\n"))
	got, err := connection.Stats("items")
	if diff := cmp.Diff(map[string]string{"items:1:number": "5", "inter": ""}, got); diff != "" || err != nil {
		t.Errorf("got the error %v and the values (-want +got)\n%s", err, diff)
	}
	if _, err := connection.Stats("none"); errorText(err) != `stats none: memcached responds with "ERROR"` {
		t.Errorf("a group that memcached does not know: got the error %v", err)
	}
}

// TestStatsLimit checks that a server cannot fill the memory of the client.
func TestStatsLimit(t *testing.T) {
	const want = "more than 1048576 bytes of statistics"
	for reason, line := range map[string]string{"many": "STAT a 1\r\n", "long": "STAT a " + strings.Repeat("1", 60_000) + "\r\n"} {
		_, err := connect(t, serve(t, strings.Repeat(line, maxStatBytes/(len(line)-2)+1)+"END\r\n")).Stats("")
		if !strings.Contains(errorText(err), want) {
			t.Errorf("%s statistics: got the error %v, want %q", reason, err, want)
		}
	}
}
