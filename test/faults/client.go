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

// newClient returns a client that keeps so many connections open.
func newClient(connections int, config *tls.Config) *client {
	return &client{http: &http.Client{
		Timeout:   10 * time.Second, // Metacontroller's default
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: 90 * time.Second, TLSClientConfig: config},
	}}
}

type answer struct {
	code       int
	body       []byte
	retryAfter time.Duration
}

// post makes one request. The body's length is announced.
func (c *client) post(ctx context.Context, url string, body []byte) (answer, error) {
	return c.send(ctx, url, bytes.NewReader(body), int64(len(body)))
}

func (c *client) send(ctx context.Context, url string, body io.Reader, length int64) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return answer{}, err
	}
	request.ContentLength = length
	request.Header.Set("Content-Type", "application/json")
	if c.token != nil {
		request.Header.Set("Authorization", "Bearer "+c.token())
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return answer{response.StatusCode, content, time.Duration(seconds) * time.Second}, nil
}

// tally counts answers by status code and errors as code 0, and keeps how long each took.
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

// beside counts the answers that have none of these codes.
func (t *tally) beside(codes ...int) int {
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

// percentile of the times, 0 to 1.
func (t *tally) percentile(p float64) time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.took) == 0 {
		return 0
	}
	slices.Sort(t.took)
	return t.took[min(int(p*float64(len(t.took))), len(t.took)-1)]
}

// loop calls f from so many goroutines again and again until the context ends, and waits for the last ones.
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

// pause waits, unless the context ends before.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
