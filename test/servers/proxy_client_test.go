//go:build servers

package servers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// client sends commands of the text and meta protocols over one connection.
type client struct {
	connection net.Conn
	reader     *bufio.Reader
}

func dialClient(t testing.TB, address string) *client {
	t.Helper()
	c, err := newClient(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.connection.Close() })
	return c
}

func newClient(address string) (*client, error) {
	connection, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return nil, err
	}
	return &client{connection: connection, reader: bufio.NewReaderSize(connection, 64<<10)}, nil
}

// response is a line, with the value that follows it.
type response struct{ line, value string }

// do sends commands without waiting in between, and returns all responses.
func (c *client) do(commands string) ([]response, error) {
	if err := c.connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	go func() { // concurrently, because a server that cannot write stops reading
		_, err := io.WriteString(c.connection, commands+"mn\r\n")
		failed <- err
	}()
	var all []response
	for {
		r, err := c.next()
		if err != nil {
			return all, fmt.Errorf("after %d responses: %w", len(all), err)
		}
		if r.line == "MN" {
			return all, <-failed
		}
		all = append(all, r)
	}
}

// must is do for a test that continues only without errors.
func (c *client) must(t testing.TB, commands string) []response {
	t.Helper()
	all, err := c.do(commands)
	if err != nil {
		t.Fatalf("%.200q: %v", commands, err)
	}
	return all
}

// lines returns the lines and values of responses, for tables of tests.
func lines(responses []response) string {
	var all []string
	for _, each := range responses {
		if all = append(all, each.line); each.value != "" {
			all = append(all, each.value)
		}
	}
	return strings.Join(all, "|")
}

// next reads a response.
func (c *client) next() (response, error) {
	line, err := c.reader.ReadString('\n')
	if err != nil {
		return response{}, err
	}
	words := strings.Fields(line)
	size := -1
	switch {
	case len(words) >= 4 && words[0] == "VALUE":
		size, err = strconv.Atoi(words[3])
	case len(words) >= 2 && words[0] == "VA":
		size, err = strconv.Atoi(words[1])
	}
	if err != nil || size < 0 {
		return response{line: strings.TrimSuffix(line, "\r\n")}, err
	}
	value := make([]byte, size+2)
	if _, err := io.ReadFull(c.reader, value); err != nil {
		return response{}, err
	}
	return response{strings.TrimSuffix(line, "\r\n"), string(value[:size])}, nil
}
