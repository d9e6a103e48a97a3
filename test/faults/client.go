package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// client calls hooks as Metacontroller does.
type client struct {
	http  *http.Client
	token func() string
}

// newClient returns a client that keeps up to connections idle connections.
func newClient(connections int, config *tls.Config) *client {
	return &client{http: &http.Client{
		Timeout:   10 * time.Second, // Metacontroller's default
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: 90 * time.Second, TLSClientConfig: config},
	}}
}

type response struct {
	code       int
	body       []byte
	retryAfter time.Duration
}

// post sends one request with a Content-Length.
func (c *client) post(ctx context.Context, url string, body []byte) (response, error) {
	return c.send(ctx, url, bytes.NewReader(body), int64(len(body)))
}

func (c *client) send(ctx context.Context, url string, body io.Reader, length int64) (response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return response{}, err
	}
	request.ContentLength = length
	request.Header.Set("Content-Type", "application/json")
	if c.token != nil {
		request.Header.Set("Authorization", "Bearer "+c.token())
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return response{}, err
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		return response{}, err
	}
	seconds, _ := strconv.Atoi(reply.Header.Get("Retry-After"))
	return response{reply.StatusCode, content, time.Duration(seconds) * time.Second}, nil
}

// tally counts responses by status code, errors as code 0, and records their durations.
type tally struct {
	mutex sync.Mutex
	codes map[int]int
	took  []time.Duration
	first error
}

func (t *tally) add(code int, took time.Duration, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.codes == nil {
		t.codes = map[int]int{}
	}
	if err != nil {
		code = 0
		if t.first == nil {
			t.first = err
		}
	}
	t.codes[code]++
	t.took = append(t.took, took)
}

func (t *tally) total() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.took)
}

// except returns the number of responses with other codes.
func (t *tally) except(codes ...int) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	n := 0
	for code, count := range t.codes {
		if !slices.Contains(codes, code) {
			n += count
		}
	}
	return n
}

// percentile returns a percentile of the durations; p is between 0 and 1.
func (t *tally) percentile(p float64) time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.took) == 0 {
		return 0
	}
	slices.Sort(t.took)
	return t.took[min(int(p*float64(len(t.took))), len(t.took)-1)]
}

// loop calls f repeatedly in workers goroutines until the context ends. wait waits for the last calls.
func loop(ctx context.Context, workers int, f func(worker int)) (wait func()) {
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				f(worker)
			}
		})
	}
	return group.Wait
}

// pause waits for d or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
