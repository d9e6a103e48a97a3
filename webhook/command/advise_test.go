package command_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/loopback"
)

// startStats starts a server that responds to each command with the same statistics.
func startStats(t *testing.T, stats string) string {
	t.Helper()
	return loopback.Serve(t, loopback.Lines(func(string) string { return stats + "END\r\n" }))
}

// TestAdviseFailsEarly checks that an error of one server comes before the end of the interval.
func TestAdviseFailsEarly(t *testing.T) {
	t.Parallel()
	server := startStats(t, "")
	for _, test := range []struct{ reason, address, want string }{
		{"a closed port", closedAddress(t), "connection refused"},
		{"a server with TLS closes the connection", closeConnections(t), "it may require --tls"},
		{"a proxy", startStats(t, "STAT proxy_enabled yes\r\n"), "is a proxy. Use the addresses of its servers instead"},
	} {
		start := time.Now()
		_, stderr, code := finish(t, "advise", "--watch=5m", server, test.address)
		if took := time.Since(start); took > time.Minute || code == 0 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d after %s: %s", test.reason, code, took, stderr)
		}
	}
}

// TestAdviseRefusesHugeQuantities checks that advise ends: the API server accepts quantities of a billion digits.
func TestAdviseRefusesHugeQuantities(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cache.yaml")
	if err := os.WriteFile(file, []byte("kind: Memcached\nspec: {resources: {limits: {cpu: \"1e-999999999\"}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := finish(t, "advise", "-f", file); code == 0 || !strings.Contains(stderr, "spec.resources.limits.cpu: is not a quantity") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	return listener.Addr().String()
}
