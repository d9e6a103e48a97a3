//go:build faults

package faults

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// client calls a hook, by default the sync hook of Memcached, as Metacontroller does, and counts the responses by their status codes.
type client struct {
	http  http.Client
	token func() string
	hook  string

	mutex               sync.Mutex
	codes               map[int]int // 0 for no response
	took                []time.Duration
	first               error
	done, retried, lost int // syncs
}

func newClient(transport *http.Transport) *client {
	transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = 200, 90*time.Second
	return &client{hook: "/memcached/sync", codes: map[int]int{}, http: http.Client{Timeout: 10 * time.Second, Transport: transport}} // Metacontroller's timeouts
}

// post returns the status code and Retry-After, or the code 0 if there is no response.
func (c *client) post(url string, body []byte) (code int, retryAfter time.Duration) {
	began := time.Now()
	response, err := c.send(url, body)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	if err == nil {
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		code, retryAfter = response.StatusCode, time.Duration(seconds)*time.Second
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.codes[code]++
	c.took = append(c.took, time.Since(began))
	if c.first == nil {
		c.first = err
	}
	return code, retryAfter
}

func (c *client) send(url string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodPost, url+c.hook, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != nil {
		request.Header.Set("Authorization", "Bearer "+c.token())
	}
	return c.http.Do(request)
}

// sync repeats a request until it succeeds, after the Retry-After of a 429 or a backoff of 5 ms, 10 ms and so on. After about
// 20 s of backoff or two minutes the sync is lost.
func (c *client) sync(ctx context.Context, url func() string, body []byte) {
	result := &c.lost
	deadline := time.Now().Add(2 * time.Minute)
	tries := 0
	for backoff := 5 * time.Millisecond; backoff < 20*time.Second && time.Now().Before(deadline); tries++ {
		code, retryAfter := c.post(url(), body)
		if code == http.StatusOK {
			result = &c.done
			break
		}
		if retryAfter == 0 {
			retryAfter = backoff
			backoff *= 2
		}
		pause(ctx, retryAfter)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	*result++
	if tries > 0 {
		c.retried++
	}
}

// wantOnly fails the test if a response has another code.
func (c *client) wantOnly(t *testing.T, codes ...int) {
	t.Helper()
	for code := range c.codes {
		if !slices.Contains(codes, code) {
			t.Errorf("got codes %v, want only %v; %v", c.codes, codes, c.first)
		}
	}
}

// percentile returns a percentile of the durations in milliseconds; p is between 0 and 1.
func (c *client) percentile(p float64) float64 {
	slices.Sort(c.took)
	return c.took[min(int(p*float64(len(c.took))), len(c.took)-1)].Seconds() * 1000
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
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
