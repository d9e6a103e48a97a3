package hold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// timeout limits a wait for memcached. It is less than timeoutSeconds of the liveness probe, so that the event of the probe has the cause.
const timeout = 1500 * time.Millisecond

// errCrowded reports that memcached responds, but has too many connections to accept or to list another one.
var errCrowded = errors.New("memcached has too many connections")

// memcachedServer is the memcached of the pod.
type memcachedServer struct {
	address string
	mutex   sync.Mutex
	// connection is kept for the next request, so that the sidecar has one when all others are in use.
	connection *client.Conn
	// silentSince is the start of the first request without a response since the last response; zero after a response.
	silentSince time.Time
}

// alive returns an error if memcached does not respond.
func (s *memcachedServer) alive(ctx context.Context) error {
	_, err := s.request(ctx, func(connection *client.Conn) error {
		line, err := connection.Command("version")
		if err == nil && !bytes.HasPrefix(line, []byte("VERSION ")) {
			err = responseError(line)
		}
		return err
	})
	if errors.Is(err, errCrowded) {
		return nil
	}
	return err
}

// clients returns the remote clients; nil for too many, or with an error, and for how long memcached has not responded.
func (s *memcachedServer) clients(ctx context.Context) (found clients, silent time.Duration, err error) {
	silent, err = s.request(ctx, func(connection *client.Conn) (err error) {
		found, err = readClients(connection)
		return err
	})
	if errors.Is(err, errCrowded) {
		err = nil
	}
	return found, silent, err
}

// request runs one request at a time. It returns for how long memcached has not responded.
func (s *memcachedServer) request(ctx context.Context, send func(*client.Conn) error) (silent time.Duration, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	start := time.Now()
	if err = s.try(ctx, send); err == nil || errors.Is(err, errCrowded) {
		s.silentSince = time.Time{}
		return 0, err
	}
	if s.silentSince.IsZero() {
		s.silentSince = start
	}
	return time.Since(s.silentSince), err
}

// try sends a request over the connection, or over a new one if memcached has closed it. After a timeout, the next request has a new
// connection, which memcached assigns to another of its threads.
func (s *memcachedServer) try(ctx context.Context, send func(*client.Conn) error) error {
	if s.connection != nil {
		err := within(patience, s.connection, send)
		if err == nil {
			return nil
		}
		_ = s.connection.Close()
		s.connection = nil
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, errCrowded) {
			return err
		}
	}
	connection, err := client.Dial(ctx, s.address, client.Config{Timeout: timeout})
	if err != nil {
		return err
	}
	if err := within(patience, connection, send); err != nil {
		_ = connection.Close()
		return err
	}
	s.connection = connection
	return nil
}

// within sends requests on a connection, which it closes if the responses take too long: one may never end.
func within(limit time.Duration, connection *client.Conn, send func(*client.Conn) error) error {
	timer := time.AfterFunc(limit, func() { _ = connection.Close() })
	defer timer.Stop()
	return send(connection)
}

// responseError returns the error for an unexpected response. With -c connections, memcached responds to a new one with an error, and
// closes it.
func responseError(line []byte) error {
	if bytes.HasPrefix(line, []byte("ERROR Too many open connections")) {
		return errCrowded
	}
	return fmt.Errorf("memcached responds with %.200q", line)
}
