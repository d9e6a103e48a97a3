package advise

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// serve returns the address of a server with the general statistics of the first and the second reading, and with a listing. It
// closes the connection after a listing without an END.
func serve(t *testing.T, before, after, items, listing string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		general := before
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			for lines := bufio.NewScanner(connection); lines.Scan(); {
				response := "END\r\n"
				switch lines.Text() {
				case "stats":
					response, general = general+response, after
				case "stats items":
					response = items + response
				case "lru_crawler metadump hash":
					response = listing
				}
				if _, err := fmt.Fprint(connection, response); err != nil || !strings.HasSuffix(response, "END\r\n") {
					break
				}
			}
			connection.Close()
		}
	}()
	return listener.Addr().String()
}

func readFrom(t *testing.T, address string, items int) (*Sample, error) {
	t.Helper()
	return Read(t.Context(), address, client.Config{Timeout: 5 * time.Second}, Limits{time.Millisecond, items, 5 * time.Second}, func(string) {})
}

// TestListing checks that a listing counts only if it shows the ages of all items.
func TestListing(t *testing.T) {
	const large = "STAT time 1000000\r\nSTAT cmd_get 9000\r\nSTAT curr_items 1000000\r\n"
	const small = "STAT time 1000000\r\nSTAT cmd_get 9000\r\nSTAT curr_items 200\r\n"
	item := "key=a exp=-1 la=900000 cas=1 fetch=no cls=1 size=100\n"
	one := "STAT items:1:number 1000000\r\n"
	for _, test := range []struct {
		reason, general, items, listing string
		max                             int
		want                            string
	}{
		{"a listing that breaks off after one item", large, one, item, 1e6, "has 1 of 1000000 items, which are too few. Try again, or increase --items and --listing-timeout: lru_crawler"},
		{"a complete listing of one item", large, one, item + "END\r\n", 1e6, "has 1 of 1000000 items"},
		{"an empty listing", large, one, "END\r\n", 1e6, "has 0 of 1000000 items"},
		{"a small sample", large, one, strings.Repeat(item, 20), 10, "has 10 of 1000000 items"},
		{"a sample that breaks off late", large, one, strings.Repeat(item, minListed), 1e6, ""},
		{"a sample without a large class", large, one + "STAT items:2:number 300000\r\n", strings.Repeat(item, minListed), 1e6, "no item of slab class 2, which has 300000"},
		{"a sample without a small class", large, one + "STAT items:2:number 300\r\n", strings.Repeat(item, minListed), 1e6, ""},
		{"all items of a small server", small, "", strings.Repeat(item, 200) + "END\r\n", 1e6, ""},
		{"a small server with some expired items", small, "", strings.Repeat(item, 150) + "END\r\n", 1e6, ""},
		{"items of an impossible class", small, "", strings.Repeat(strings.Replace(item, "cls=1", "cls=256", 1), 200) + "END\r\n", 1e6, "has 0 of 200 items"},
	} {
		s, err := readFrom(t, serve(t, "", test.general, test.items, test.listing), test.max)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if (s.Listing == nil) != (test.want != "") || !strings.Contains(s.NoListing, test.want) || test.want == "" && s.NoListing != "" {
			t.Errorf("%s: the listing counts is %t, with the reason %q, want %q", test.reason, s.Listing != nil, s.NoListing, test.want)
		}
		if report := Of([]*Sample{s}, nil); s.Listing == nil && (report.Whole.Curve != nil || len(report.Advice) > 0 || !strings.Contains(report.Whole.NoCurve, test.want)) {
			t.Errorf("%s: got the advice %v, a curve of %d points, and the reason %q", test.reason, report.Advice, len(report.Whole.Curve), report.Whole.NoCurve)
		}
	}
}

func TestRestart(t *testing.T) {
	const before = "STAT uptime 500\r\nSTAT cmd_get 5000\r\n"
	for after, restarted := range map[string]bool{
		"STAT uptime 501\r\nSTAT cmd_get 5000\r\n": false, "STAT uptime 1\r\nSTAT cmd_get 6000\r\n": true, "STAT uptime 501\r\nSTAT cmd_get 5\r\n": true,
	} {
		address := serve(t, before, after, "", "END\r\n")
		if _, err := readFrom(t, address, 1); (err != nil) != restarted || err != nil && !strings.Contains(err.Error(), address+" restarted during the watch") {
			t.Errorf("%q after %q: got the error %v, want one: %t", after, before, err, restarted)
		}
	}
}

// TestNumber checks that no statistic makes a report that JSON cannot hold.
func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "x": 0, "NaN": 0, "Inf": 0, "-inf": 0, "1e300": 0, "1.5": 1.5} {
		general := Values{"limit_maxbytes": text}
		if got := general.number("limit_maxbytes"); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		if _, err := json.Marshal(Of([]*Sample{{Seconds: 60, After: Reading{General: general}}}, nil)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
