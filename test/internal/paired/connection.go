package paired

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// Endpoints are the addresses of a cache, which can change.
type Endpoints struct {
	// TLS is nil without TLS.
	TLS *tls.Config
	// Servers are those of a cache without proxies, each with its address. Clients send each key to the server of the key.
	Servers []*Endpoints

	mutex sync.Mutex
	all   []string
}

// Set replaces the addresses.
func (e *Endpoints) Set(all ...string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.all = all
}

// Any returns one of the addresses, or "" if there is none.
func (e *Endpoints) Any() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.all) == 0 {
		return ""
	}
	return e.all[rand.IntN(len(e.all))]
}

// timeout is longer than the proxies wait for a server.
const timeout = 5 * time.Second

// connection connects again often, so that it uses all proxies, and when the connection is closed.
type connection struct {
	to      *Endpoints
	conn    *client.Conn
	batches int
	servers []*connection // without proxies
}

func (c *connection) close() {
	for _, server := range c.servers {
		server.close()
	}
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// do sends commands and returns all responses. It sends the commands again if the connection is closed, and reports that.
func (c *connection) do(ctx context.Context, commands string) (responses []response, repeated bool, err error) {
	if c.to.Servers != nil {
		return c.doDirect(ctx, commands)
	}
	if c.batches++; c.batches%10 == 0 {
		c.close()
	}
	for ; ; c.close() {
		if c.conn == nil {
			c.conn, err = client.Dial(ctx, c.to.Any(), client.Config{Timeout: timeout, TLS: c.to.TLS})
		}
		if err == nil {
			if responses, err = c.exchange(commands); err == nil {
				return responses, repeated, nil
			}
			repeated = true
		}
		select {
		case <-ctx.Done():
			return nil, repeated, fmt.Errorf("%.40q: %w", commands, err)
		case <-time.After(20 * time.Millisecond): // no endpoint accepts connections
		}
		err = nil
	}
}

// exchange ends the commands with one whose response is the last. Responses are smaller than the buffers of the kernel, or the commands
// are, so the server does not wait for this client while this client waits for the server.
func (c *connection) exchange(commands string) (responses []response, err error) {
	if _, err := io.WriteString(c.conn, commands+"mn\r\n"); err != nil {
		return nil, err
	}
	for {
		next, err := read(c.conn.Reader)
		if err != nil {
			return nil, err
		}
		if next.line == "MN" {
			return responses, nil
		}
		responses = append(responses, next)
	}
}

// response is a line, with the key and the value if it has them.
type response struct{ line, key, value string }

type reader interface {
	io.Reader
	ReadString(delimiter byte) (string, error)
}

// read reads a response of the text or the meta protocol.
func read(from reader) (response, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return response{}, err
	}
	r := response{line: strings.TrimSuffix(line, "\r\n")}
	words := strings.Fields(line)
	bytes := ""
	switch {
	case len(words) >= 4 && words[0] == "VALUE":
		r.key, bytes = words[1], words[3]
	case len(words) >= 2 && words[0] == "VA":
		r.key, bytes = flag(words[2:], 'k'), words[1]
	default:
		return r, nil
	}
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return r, fmt.Errorf("%q: %w", r.line, err)
	}
	text := make([]byte, size+2)
	if _, err := io.ReadFull(from, text); err != nil {
		return r, err
	}
	r.value = string(text[:size])
	return r, nil
}

// flag returns the value of a flag of a meta response.
func flag(words []string, name byte) string {
	for _, word := range words {
		if word[0] == name {
			return word[1:]
		}
	}
	return ""
}

// unique returns the CAS unique of a response to gets, or to mg with the flag c.
func (r response) unique() string {
	words := strings.Fields(r.line)
	if words[0] == "VALUE" && len(words) == 5 {
		return words[4]
	}
	return flag(words, 'c')
}
