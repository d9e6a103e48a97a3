package server

import (
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connectionLimit limits the connections of a server. At the limit a new connection replaces one without a request. A listener
// that stops accepting, as netutil.LimitListener does, would let callers who send nothing keep out all others.
type connectionLimit struct {
	net.Listener
	max int

	mutex sync.Mutex
	open  int
	// fresh has the connections that have not sent the headers of a request yet, and idle those that wait for the next request, the
	// oldest first. A fresh connection is replaced before an idle one, whose caller has sent a request.
	fresh, idle list.List
}

// minFresh is how long a connection may take to send headers before another one replaces it. Until then the kernel queues the
// others: 5,000 of them for half a second, with 512 connections.
const minFresh = 50 * time.Millisecond

// limitedConnection is a connection that counts until it is closed.
type limitedConnection struct {
	net.Conn
	limit    *connectionLimit
	accepted time.Time
	// place is in one of the lists; nil while the connection serves a request.
	place  *list.Element
	closed bool
}

// limitConnections makes a server accept at most maximum connections from the listener that it returns.
func limitConnections(server *http.Server, listener net.Listener, maximum int) net.Listener {
	server.ConnContext = func(ctx context.Context, connection net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, limitedConnectionOf(connection))
	}
	server.ConnState = func(connection net.Conn, state http.ConnState) {
		if state == http.StateIdle { // the response is written
			limitedConnectionOf(connection).serves(false)
		}
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(connectionKey{}).(*limitedConnection).serves(true)
		next.ServeHTTP(w, r)
	})
	return &connectionLimit{Listener: listener, max: maximum}
}

type connectionKey struct{}

func limitedConnectionOf(connection net.Conn) *limitedConnection {
	if encrypted, ok := connection.(*tls.Conn); ok {
		connection = encrypted.NetConn()
	}
	return connection.(*limitedConnection)
}

// Accept returns the next connection. If all connections serve requests, it closes new ones.
func (l *connectionLimit) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		time.Sleep(l.untilRoom())
		if limited := l.add(connection); limited != nil {
			return limited, nil
		}
		_ = connection.Close() // its caller connects again
	}
}

// oldest returns the connection to replace; nil if all connections serve requests. It requires the mutex.
func (l *connectionLimit) oldest() *limitedConnection {
	if element := cmp.Or(l.fresh.Front(), l.idle.Front()); element != nil {
		return element.Value.(*limitedConnection)
	}
	return nil
}

// untilRoom returns the time until a connection may be replaced.
func (l *connectionLimit) untilRoom() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if oldest := l.oldest(); oldest != nil && l.open >= l.max {
		return time.Until(oldest.accepted.Add(minFresh))
	}
	return 0
}

// add returns nil if the limit is reached and all connections serve requests.
func (l *connectionLimit) add(connection net.Conn) *limitedConnection {
	l.mutex.Lock()
	var replaced *limitedConnection
	if l.open >= l.max {
		replaced = l.oldest()
		if replaced == nil {
			l.mutex.Unlock()
			return nil
		}
		replaced.remove()
	}
	limited := &limitedConnection{Conn: connection, limit: l, accepted: time.Now()}
	limited.place = l.fresh.PushBack(limited)
	l.open++
	l.mutex.Unlock()
	if replaced != nil {
		_ = replaced.Conn.Close() // http.Server notices and closes it again
	}
	return limited
}

// serves records whether the connection serves a request.
func (c *limitedConnection) serves(request bool) {
	c.limit.mutex.Lock()
	defer c.limit.mutex.Unlock()
	if c.closed {
		return
	}
	c.leaveList()
	if !request {
		c.place = c.limit.idle.PushBack(c)
	}
}

func (c *limitedConnection) leaveList() {
	if c.place == nil {
		return
	}
	c.limit.fresh.Remove(c.place) // Remove ignores an element of another list
	c.limit.idle.Remove(c.place)
	c.place = nil
}

// remove requires the mutex.
func (c *limitedConnection) remove() {
	if c.closed {
		return
	}
	c.closed = true
	c.limit.open--
	c.leaveList()
}

// Close closes the connection and makes room for another one.
func (c *limitedConnection) Close() error {
	c.limit.mutex.Lock()
	c.remove()
	c.limit.mutex.Unlock()
	return c.Conn.Close()
}
