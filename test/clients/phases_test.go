package clients

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPhases runs the cases with two clients of each library: both use one memcached, then proxies in each phase, then proxies in two
// successive phases. All responses are equal. Each library has its own servers, because a command that a server refuses with CLIENT_ERROR
// can fail commands of other clients. Libraries with TLS also run with certificates that memcached and the proxies require.
//
// Keys that are not missing were stored in the phase before.
func TestPhases(t *testing.T) {
	all := slices.Clone(libraries)
	for _, l := range libraries {
		if slices.Contains(withTLS, l.name) {
			all = append(all, l.secured())
		}
	}
	for _, l := range all {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			args := l.tlsArgs()
			plain := start(t, append([]string{"-t", "1", "-m", "1024"}, args...)...).address
			want := play(t, l, 0, plain, plain, plain)
			checkControl(t, want)
			from, to := startServers(t, 2), startServers(t, 2)
			before := steps[0].start(t, from, to, args...)
			expectEqual(t, before.name, want, func(run int) map[string]string {
				return play(t, l, run+1, before.address, before.address, before.address)
			})
			for i, step := range steps[1:] {
				p := step.start(t, from, to, args...)
				expectEqual(t, before.name+" and "+p.name, want, func(run int) map[string]string {
					return play(t, l, run+2*i+2, before.address, before.address, p.address)
				})
				expectEqual(t, p.name, want, func(run int) map[string]string { return play(t, l, run+2*i+3, before.address, p.address, p.address) })
				before = p
			}
			fmt.Printf("%s %s: %d operations in %d cases, %.0f s\n", l.name, want["version"], len(want), len(testCases), time.Since(started).Seconds())
		})
	}
}

// again is added to the number of a run for its second attempt.
const again = 50

// expectEqual compares the responses of one memcached with those of proxies. It plays a second time if there is a difference, and reports what
// differs both times: after a command that a server has refused, one that nobody awaits can fail, and a busy machine can lose one to a timeout.
func expectEqual(t *testing.T, phases string, want map[string]string, play func(run int) map[string]string) {
	t.Helper()
	different := differences(want, play(0))
	if len(different) > 0 {
		second := differences(want, play(again))
		maps.DeleteFunc(different, func(operation, _ string) bool { return second[operation] == "" })
	}
	for i, operation := range slices.Sorted(maps.Keys(different)) {
		if i == 10 && !testing.Verbose() {
			t.Errorf("%s: … and %d other operations", phases, len(different)-10)
			return
		}
		t.Errorf("%s: %s: %s", phases, operation, different[operation])
	}
}

// differences returns the operations whose responses differ.
func differences(want, got map[string]string) map[string]string {
	different := map[string]string{}
	for operation := range want {
		if got[operation] != want[operation] {
			different[operation] = fmt.Sprintf("%s, want %s", got[operation], want[operation])
		}
	}
	for operation := range got {
		if _, known := want[operation]; !known {
			different[operation] = got[operation] + ", want nothing"
		}
	}
	return different
}

// checkControl checks that the library works at all: otherwise the same errors everywhere would be equal.
func checkControl(t *testing.T, want map[string]string) {
	t.Helper()
	const operation = "set: missing: 3 b get K"
	if !strings.HasPrefix(want[operation], `"v1"`) {
		t.Fatalf("with one memcached, %s returned %s", operation, want[operation])
	}
}

// play runs all cases, and returns the responses to each operation with their number.
func play(t *testing.T, l library, run int, store, a, b string) map[string]string {
	t.Helper()
	d := startDriver(t, l, a, b)
	played := map[string]string{"version": d.version}
	for i, c := range testCases {
		if skipped[l.name][c.name] != "" {
			continue
		}
		for j, name := range []string{"missing", "7"} {
			prefix := fmt.Sprintf("key-%02d-%02d-%d-", run, i, j)
			if name == "7" {
				storeAll(t, l, store, prefix, c.keys)
			}
			requests, operations := c.requests(prefix)
			responses, err := d.do(requests...)
			if err != nil {
				played[c.name+": "+name] = fmt.Sprintf("after %d of %d responses: %v", len(responses), len(requests), err)
				d = startDriver(t, l, a, b)
			}
			operations = operations[:len(responses)]
			if slices.Contains(refused, c.name) {
				operations, responses = expected(operations, responses)
			}
			for operation, tally := range count(operations, responses, prefix) {
				played[fmt.Sprintf("%s: %s: %s", c.name, name, operation)] = tally
			}
		}
	}
	return played
}

// storeAll stores the value 7 for keys that are not missing.
func storeAll(t *testing.T, l library, address, prefix string, keys int) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if config := l.tls(); config != nil {
		connection = tls.Client(connection, config)
	}
	reader := bufio.NewReader(connection)
	deadline := time.Now().Add(10 * time.Second)
	for i := 0; i < keys; {
		if _, err := fmt.Fprintf(connection, "set %s 0 0 1\r\n7\r\n", key(prefix, i)); err != nil {
			t.Fatal(err)
		}
		switch line, err := reader.ReadString('\n'); {
		case line == "STORED\r\n":
			i++
		case err != nil || time.Now().After(deadline): // until then, a text that was counted can close the connection to the server
			t.Fatalf("set returned %q: %v", line, err)
		}
	}
}

// count counts the responses to the same operation of all keys.
func count(operations []string, responses []any, prefix string) map[string]string {
	tallies := map[string]map[string]int{}
	for i, operation := range operations {
		if tallies[operation] == nil {
			tallies[operation] = map[string]int{}
		}
		tallies[operation][show(responses[i], prefix)]++
	}
	counted := map[string]string{}
	for operation, tally := range tallies {
		var all []string
		for _, response := range slices.Sorted(maps.Keys(tally)) {
			all = append(all, fmt.Sprintf("%s %d times", response, tally[response]))
		}
		counted[operation] = strings.Join(all, ", ")
	}
	return counted
}

// expected removes from the responses to a refused command those that a proxy may return.
func expected(operations []string, responses []any) (kept []string, others []any) {
	for i, operation := range operations {
		possible := responses[i] == nil || responses[i] == "7" || responses[i] == "text"
		if strings.Contains(operation, " get ") && !possible {
			kept, others = append(kept, operation), append(others, responses[i])
		}
	}
	return kept, others
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// show returns a response without what differs between runs, and with at most 100 bytes of a large value.
func show(response any, prefix string) string {
	text, _ := json.Marshal(response)
	shown := strings.ReplaceAll(string(text), prefix, "")
	shown = address.ReplaceAllString(shown, "ADDRESS")
	if items, ok := response.(map[string]any); ok {
		values := map[string]int{}
		for k, v := range items {
			if !strings.HasPrefix(k, prefix) {
				values["of another key"]++
			}
			values[fmt.Sprint(v)]++
		}
		return fmt.Sprint(values)
	}
	if len(shown) > 200 {
		return fmt.Sprintf("%.100s… of %d bytes", shown, len(shown))
	}
	return shown
}
