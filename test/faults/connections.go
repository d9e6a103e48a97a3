package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// good makes requests that should not suffer, at a rate that leaves the server idle most of the time.
func good(ctx context.Context, s *server, d time.Duration, answers *tally) error {
	body := requests.Sync(3)
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c := newClient(2, nil)
	loop(ctx, 2, func(int) {
		began := time.Now()
		got, err := c.post(context.WithoutCancel(ctx), "http://"+s.address+syncPath, body)
		answers.add(got.code, time.Since(began), err)
		pause(ctx, 4*time.Millisecond)
	})()
	return nil
}

// slowHeaders opens connections that send their headers a byte at a time. Good requests are timed with and without
// them, in turns, so that what else the machine does meets both alike.
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
	left := 0
	for range rounds {
		if err := good(ctx, server, 5*time.Second, &base); err != nil {
			return nil, err
		}
		closed := make(chan time.Duration, connections)
		for range connections {
			go func() {
				closed <- drip(server.address, "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nX-Slow: ", "x", time.Second, 10*time.Second)
			}()
		}
		if err := good(ctx, server, 5*time.Second, &during); err != nil {
			return nil, err
		}
		for range connections {
			took := <-closed
			slowest = max(slowest, took)
			if took > 5*time.Second {
				left++
			}
		}
	}
	before, meanwhile := base.percentile(0.99), during.percentile(0.99)
	failed := base.beside(200) + during.beside(200)
	return []result{
		{fmt.Sprintf("%d at once, %d times", connections, rounds), fmt.Sprintf("the last one closed after %.2f s", slowest.Seconds()), "5 s", left == 0},
		{
			"good requests meanwhile",
			fmt.Sprintf("p99 %.2f ms, without them %.2f ms (%.2f×); %d of %d failed", ms(meanwhile), ms(before), ms(meanwhile)/ms(before), failed, base.total()+during.total()),
			"2×, none failed", meanwhile <= 2*before && failed == 0,
		},
	}, nil
}

// stalledBodies announces bodies and does not send them.
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
		go func() { closed <- drip(server.address, head, " ", time.Second, 30*time.Second) }()
	}
	var slowest time.Duration
	for range connections {
		slowest = max(slowest, <-closed)
	}
	return []result{{fmt.Sprintf("%d at once", connections), fmt.Sprintf("the last one closed after %.2f s", slowest.Seconds()), "15 s", slowest <= 15*time.Second}}, nil
}

// drip sends the head, and then more of it at every interval, until the server closes the connection. It returns how
// long that took, or the patience that it ran out of.
func drip(address, head, more string, interval, patience time.Duration) time.Duration {
	began := time.Now()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return patience
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
	for time.Since(began) < patience {
		select {
		case <-closed:
			return time.Since(began)
		case <-ticker.C:
			if _, err := connection.Write([]byte(more)); err != nil {
				return time.Since(began)
			}
		}
	}
	return patience
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
