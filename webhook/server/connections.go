package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections limits the connections of a server. At the limit a new connection replaces the one that has waited for its caller for the
// longest time. A listener that stops accepting, as netutil.LimitListener does, would let callers who send nothing keep out all others.
type connections struct {
	net.Listener
	max int

	mutex sync.Mutex
	open  map[*connection]struct{}
}

// connection is a connection that counts until it is closed.
type connection struct {
	net.Conn
	all   *connections
	state state
	since time.Time
	// opened is the number of bytes that were received while the connection was opening.
	opened int
}

// state is what a connection is doing. A connection that works is never replaced, and an idle one after all others.
type state int

const (
	opening      state = iota // the caller has not sent an authorized request yet
	transferring              // the hook waits for a body, or for the reader of a response
	idle                      // the hook waits for another request
	working
)

// minWait is how long a connection may wait for its caller before another one replaces it. Until then the kernel queues the others:
// 5,000 of them for a second, with 256 connections.
const minWait = 50 * time.Millisecond

// unreadBytes is the size of the kernel's buffer for the part of a response that its caller has not read. The kernel takes twice as much. By itself it
// keeps up to 4 MiB for each connection, which cgroup v2 counts as memory of the pod.
const unreadBytes = 64 << 10

// limitConnections makes a server accept at most maximum connections from the listener that it returns.
func limitConnections(server *http.Server, listener net.Listener, maximum int) net.Listener {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if encrypted, ok := conn.(*tls.Conn); ok {
			conn = encrypted.NetConn()
		}
		return context.WithValue(ctx, connectionKey{}, conn)
	}
	return &connections{Listener: listener, max: maximum, open: map[*connection]struct{}{}}
}

type connectionKey struct{}

// connectionOf returns the connection of a request; nil in a test without connections.
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// Accept returns the next connection. If all connections work, it closes new ones.
func (l *connections) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := accepted.(*net.TCPConn); ok { // a test may have pipes
			_ = tcp.SetWriteBuffer(unreadBytes) // fails only for a closed connection
		}
		if c := (&connection{Conn: accepted, all: l, since: time.Now()}); l.add(c) {
			return c, nil
		}
		_ = accepted.Close() // its caller connects again
	}
}

// pollWorking is the time between two looks whether a connection still works. Between two parts of a body, it works for microseconds.
const pollWorking = time.Millisecond

// add returns false if the limit is reached and all connections work for minWait.
func (l *connections) add(c *connection) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for len(l.open) >= l.max {
		first, early := l.firstToReplace(), pollWorking
		switch {
		case first != nil:
			early = minWait - time.Since(first.since)
		case time.Since(c.since) > minWait:
			return false
		}
		if early <= 0 {
			l.end(first)
			continue
		}
		l.mutex.Unlock()
		time.Sleep(early)
		l.mutex.Lock()
	}
	l.open[c] = struct{}{}
	return true
}

// firstToReplace requires the mutex. It returns nil if all connections work.
func (l *connections) firstToReplace() (first *connection) {
	for c := range l.open {
		if c.state != working && (first == nil || c.replacedBefore(first)) {
			first = c
		}
	}
	return first
}

// replacedBefore orders connections that have not sent a whole request before idle ones, and then by time.
func (c *connection) replacedBefore(other *connection) bool {
	if (c.state == idle) != (other.state == idle) {
		return other.state == idle
	}
	return c.since.Before(other.since)
}

// end requires the mutex. http.Server notices and closes the connection again.
func (l *connections) end(c *connection) {
	delete(l.open, c)
	_ = c.Conn.Close()
}

// enter records what the connection is doing.
func (c *connection) enter(next state) {
	if c == nil {
		return
	}
	c.all.mutex.Lock()
	c.state, c.since = next, time.Now()
	c.all.mutex.Unlock()
}

// endTransfers closes all connections whose requests have waited for their callers for more than minWait, so that their memory is free
// soon. It reports whether there were any.
func (c *connection) endTransfers() (ended bool) {
	if c == nil {
		return false
	}
	c.all.mutex.Lock()
	defer c.all.mutex.Unlock()
	for other := range c.all.open {
		if other.state == transferring && time.Since(other.since) > minWait {
			c.all.end(other)
			ended = true
		}
	}
	return ended
}

// maxOpenedBytes limits a TLS handshake and the headers of the first request. Unfinished messages with certificates take memory.
const maxOpenedBytes = 64 << 10

// Read ends a connection whose caller sends much before an authorized request.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.all.mutex.Lock()
	defer c.all.mutex.Unlock()
	if c.state == opening {
		if c.opened += n; c.opened > maxOpenedBytes {
			return 0, net.ErrClosed
		}
	}
	return n, err
}

// Close closes the connection and makes room for another one.
func (c *connection) Close() error {
	c.all.mutex.Lock()
	delete(c.all.open, c)
	c.all.mutex.Unlock()
	return c.Conn.Close()
}
