package clients

import (
	"net"
	"os/exec"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// closing are the tests of memccapable that send flush_all and verbosity: a proxy closes the connection.
var closing = []string{"ascii verbosity", "ascii flush", "ascii flush noreply"}

// TestMemccapable runs libmemcached's own test of servers. Proxies in each phase pass what one memcached passes.
func TestMemccapable(t *testing.T) {
	if _, err := exec.LookPath("memccapable"); err != nil {
		t.Fatalf("NOT TESTED: %v. Install with: %slibmemcached-tools", err, apt)
	}
	host, port, _ := net.SplitHostPort(startServers(t, 1)[0])
	want := capable(t, host, port)
	if len(want) < 25 || !want["ascii set"] {
		t.Fatalf("memccapable has passed %v with one memcached", want)
	}
	for _, test := range closing {
		want[test] = false
	}
	for _, s := range steps {
		host, port, _ := net.SplitHostPort(s.start(t, startServers(t, 2), startServers(t, 2)).address)
		if diff := cmp.Diff(want, capable(t, host, port)); diff != "" {
			t.Errorf("%s: not as with one memcached (-memcached +proxies):\n%s", s.name, diff)
		}
	}
}

// result matches the name of a test, what it prints, and its result.
var result = regexp.MustCompile(`(?s)(ascii [a-z ]+?) {2,}(.*?)\[(pass|FAIL)\]`)

func capable(t *testing.T, host, port string) map[string]bool {
	t.Helper()
	output, _ := exec.CommandContext(t.Context(), "memccapable", "-h", host, "-p", port, "-a", "-t", "1").CombinedOutput() // fails with the tests
	passed := map[string]bool{}
	for _, match := range result.FindAllSubmatch(output, -1) {
		passed[string(match[1])] = string(match[3]) == "pass"
	}
	if len(passed) == 0 {
		t.Fatalf("memccapable printed %q", output)
	}
	return passed
}
