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

// checkListeners holds the ports on which the process really listens against those it should.
func (c combination) checkListeners(t *testing.T, s server) {
	t.Helper()
	ports := 1
	if c.clientAuth != "" || c.metrics && c.mode == v1alpha1.AuthSASL {
		ports++ // of the pod itself
	}
	if c.plaintext {
		ports++
	}
	want := slices.Sorted(maps.Values(s.ports))
	if diff := cmp.Diff(want, s.listening(t)); diff != "" || len(want) != ports {
		t.Errorf("memcached listens elsewhere than on %d ports (-want +got):\n%s", ports, diff)
	}
}

// listening returns the addresses on which the process listens, by TCP or UDP, as the kernel says.
func (s server) listening(t *testing.T) []string {
	t.Helper()
	own := map[string]bool{}
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.pid))
	if err != nil || len(descriptors) == 0 {
		t.Fatalf("cannot see the files of memcached: %v", err)
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil {
			own[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	var addresses []string
	for _, protocol := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", s.pid, protocol))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(table)) {
			// sl local_address rem_address st queues timers retransmits uid timeout inode
			words := strings.Fields(line)
			if len(words) > 9 && own[words[9]] && (words[3] == "0A" || strings.HasPrefix(protocol, "udp")) {
				addresses = append(addresses, readable(t, words[1]))
			}
		}
	}
	slices.Sort(addresses)
	return addresses
}

// readable writes 0100007F:1F90 as 127.0.0.1:8080, and anything but that address as it is.
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
