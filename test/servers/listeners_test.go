//go:build servers

package servers

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// checkListeners checks that the process listens on exactly the expected ports.
func (c combination) checkListeners(t *testing.T, s server) {
	t.Helper()
	ports := 1
	if c.clientAuth != "" || c.metrics && c.mode == v1alpha1.AuthSASL {
		ports++ // the loopback port
	}
	if c.plaintext {
		ports++
	}
	want := slices.Sorted(maps.Values(s.ports))
	if diff := cmp.Diff(want, s.listening(t)); diff != "" || len(want) != ports {
		t.Errorf("memcached must listen on exactly %d ports (-want +got):\n%s", ports, diff)
	}
}

// listening returns the TCP and UDP addresses on which the process listens, from /proc.
func (s server) listening(t *testing.T) []string {
	t.Helper()
	sockets := map[string]bool{}
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.PID()))
	if err != nil || len(descriptors) == 0 {
		t.Fatalf("no file descriptors of memcached: %v", err)
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil {
			sockets[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	var addresses []string
	for _, protocol := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", s.PID(), protocol))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(table)) {
			// sl local_address rem_address st queues timers retransmits uid timeout inode
			words := strings.Fields(line)
			if len(words) > 9 && sockets[words[9]] && (words[3] == "0A" || strings.HasPrefix(protocol, "udp")) {
				addresses = append(addresses, readable(t, words[1]))
			}
		}
	}
	slices.Sort(addresses)
	return addresses
}

// readable converts 0100007F:1F90 to 127.0.0.1:8080. It leaves hosts other than loopback in hexadecimal.
func readable(t *testing.T, address string) string {
	t.Helper()
	host, port, _ := strings.Cut(address, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	if host == "0100007F" {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("%s:%d", host, number)
}
