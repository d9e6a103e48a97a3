//go:build servers

package servers

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// pairedClient is a client of one cache. It connects again often, so that it uses all proxies, and when its connection is closed.
type pairedClient struct {
	*client
	load    *pairedLoad
	to      *endpoints
	batches int
}

// do sends commands, again if the connection was closed, and returns whether that was necessary.
func (c *pairedClient) do(commands string) (responses []response, repeated bool) {
	if c.batches++; c.batches%10 == 0 {
		c.close()
	}
	var err error
	for range 100 {
		if c.client == nil {
			c.client, err = newClient(c.to.any())
		}
		if err == nil {
			responses, err = c.client.do(commands)
		}
		if err == nil {
			return responses, repeated
		}
		repeated = repeated || c.client != nil
		c.close()
	}
	c.load.fail("%.60q: no proxy: %v", commands, err)
	return nil, true
}

func (c *pairedClient) close() {
	if c.client != nil {
		c.connection.Close()
		c.client = nil
	}
}

func (c *pairedClient) expect(command, got, want string) {
	if !strings.Contains(want, got) {
		c.load.fail("%.60q returned %.100q, want %s", command, got, want)
	}
}

// readAll returns the version of each item, 0 if it is missing.
func (c *pairedClient) readAll(keys []int, meta bool) []uint64 {
	var commands []byte
	for _, key := range keys {
		if meta {
			commands = fmt.Appendf(commands, "mg %s v\r\n", keyName(key))
		} else {
			commands = fmt.Appendf(commands, "get %s\r\n", keyName(key))
		}
	}
	responses, _ := c.do(string(commands))
	versions := make([]uint64, len(keys))
	for i := range keys {
		if len(responses) == 0 {
			c.load.fail("%d of %d reads got no response", len(keys)-i, len(keys))
			break
		}
		got := responses[0]
		responses = responses[1:]
		switch {
		case got.line == "END" || got.line == "EN":
			continue
		case strings.HasPrefix(got.line, "VALUE ") && len(responses) > 0:
			responses = responses[1:] // END
		case !strings.HasPrefix(got.line, "VA "):
			c.load.fail("a read of %s returned %.100q", keyName(keys[i]), got.line)
			continue
		}
		versions[i] = c.version(keys[i], got.value)
	}
	return versions
}

// version returns the version of a value, and 0 after a failure if the value is not that of the key.
func (c *pairedClient) version(key int, value string) uint64 {
	words := strings.SplitN(value, " ", 3)
	if len(words) == 3 && words[0] == keyName(key) && len(value) == c.load.size(key) {
		if version, err := strconv.ParseUint(words[1], 10, 64); err == nil {
			return version
		}
	}
	c.load.fail("the value of %s is %.60q", keyName(key), value)
	return 0
}

// found returns which items a proxy finds, and counts values that are older than the last acknowledged write.
func (l *pairedLoad) found(t *testing.T, cache int) []bool {
	t.Helper()
	c := &pairedClient{load: l, to: l.to[cache]}
	defer c.close()
	all := make([]bool, len(l.keys))
	const batch = 500
	var keys []int
	for key := range l.keys {
		if keys = append(keys, key); len(keys) < batch && key < len(l.keys)-1 {
			continue
		}
		for i, version := range c.readAll(keys, true) {
			state := l.state(keys[i])
			switch {
			case version == 0 || state&isUncertain != 0:
			case state&isDeleted != 0:
				l.deleted++
				l.fail("at the end, %s has version %d, but version %d deleted it", keyName(keys[i]), version, state.version())
			case version != state.version():
				l.old++
				l.fail("at the end, %s has version %d, want %d", keyName(keys[i]), version, state.version())
			}
			all[keys[i]] = version > 0
		}
		keys = keys[:0]
	}
	return all
}
