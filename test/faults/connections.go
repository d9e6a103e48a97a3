package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// probe sends valid requests at a rate that leaves the server idle most of the time.
func probe(ctx context.Context, s *server, d time.Duration, responses *tally) error {
	body := requests.Sync(3)
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c := newClient(2, nil)
	loop(ctx, 2, func(int) {
		began := time.Now()
		got, err := c.post(context.WithoutCancel(ctx), "http://"+s.address+syncPath, body)
		responses.add(got.code, time.Since(began), err)
		pause(ctx, 4*time.Millisecond)
	})()
	return nil
}

// slowHeaders opens connections that send their headers a byte at a time. It alternates between measuring valid requests
// with and without these connections, so that other load on the machine affects both.
func slowHeaders(ctx context.Context, s suite) ([]result, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	rounds := 2
	if s.long {
		rounds = 5
	}
	const connections = 500
	var base, during tally
	var slowest time.Duration
	late := 0
	for range rounds {
		if err := probe(ctx, server, 5*time.Second, &base); err != nil {
			return nil, err
		}
		closed := make(chan time.Duration, connections)
		for range connections {
			go func() {
				closed <- sendSlowly(server.address, "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nX-Slow: ", "x", time.Second, 10*time.Second)
			}()
		}
		if err := probe(ctx, server, 5*time.Second, &during); err != nil {
			return nil, err
		}
		for range connections {
			took := <-closed
			slowest = max(slowest, took)
			if took > 5*time.Second {
				late++
			}
		}
	}
	before, meanwhile := base.percentile(0.99), during.percentile(0.99)
	failed := base.except(200) + during.except(200)
	return []result{
		{fmt.Sprintf("%d concurrent, %d rounds", connections, rounds), fmt.Sprintf("last one closed after %.2f s", slowest.Seconds()), "5 s", late == 0},
		{
			"valid requests meanwhile",
			fmt.Sprintf("p99 %.2f ms, without them %.2f ms (%.2f×); %d of %d failed", ms(meanwhile), ms(before), ms(meanwhile)/ms(before), failed, base.total()+during.total()),
			"2×, none failed", meanwhile <= 2*before && failed == 0,
		},
	}, nil
}

// stalledBodies sends a Content-Length, but not the body.
func stalledBodies(ctx context.Context, s suite) ([]result, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	const connections = 50
	closed := make(chan time.Duration, connections)
	head := "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
	for range connections {
		go func() { closed <- sendSlowly(server.address, head, " ", time.Second, 30*time.Second) }()
	}
	var slowest time.Duration
	for range connections {
		slowest = max(slowest, <-closed)
	}
	return []result{{fmt.Sprintf("%d concurrent", connections), fmt.Sprintf("last one closed after %.2f s", slowest.Seconds()), "15 s", slowest <= 15*time.Second}}, nil
}

// sendSlowly sends head, then more at every interval until the server closes the connection. It returns the time until the
// close, at most timeout.
func sendSlowly(address, head, more string, interval, timeout time.Duration) time.Duration {
	began := time.Now()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return timeout
	}
	defer connection.Close()
	if _, err := connection.Write([]byte(head)); err != nil {
		return time.Since(began)
	}
	closed := make(chan struct{})
	go func() {
		buffer := make([]byte, 1024)
		for {
			if _, err := connection.Read(buffer); err != nil {
				close(closed)
				return
			}
		}
	}()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for time.Since(began) < timeout {
		select {
		case <-closed:
			return time.Since(began)
		case <-ticker.C:
			if _, err := connection.Write([]byte(more)); err != nil {
				return time.Since(began)
			}
		}
	}
	return timeout
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
