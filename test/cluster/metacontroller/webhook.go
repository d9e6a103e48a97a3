package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strictjson "sigs.k8s.io/json"
)

type hook struct {
	Version string `json:"version"`
	Webhook struct {
		URL     string           `json:"url"`
		Timeout *metav1.Duration `json:"timeout"`
	} `json:"webhook"`
}

// tooManyRequests is a response with status 429 and the delay of Retry-After.
type tooManyRequests struct{ after time.Duration }

func (e tooManyRequests) Error() string {
	return fmt.Sprintf("too many requests, retry after %s", e.after)
}

// call posts a request and decodes the response. Any status other than 200 is an error.
func (h *hook) call(ctx context.Context, c *caller, request, response any) error {
	timeout := 10 * time.Second
	if h.Webhook.Timeout != nil && h.Webhook.Timeout.Duration > 0 {
		timeout = h.Webhook.Timeout.Duration
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, h.Webhook.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/json")
	if c.authorization != "" {
		post.Header.Set("Authorization", c.authorization)
	}
	reply, err := c.client.Do(post)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(reply.Header.Get("Retry-After")) // 0 without a header, like Metacontroller
		return tooManyRequests{after: time.Duration(seconds) * time.Second}
	}
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s: %s", h.Webhook.URL, reply.Status, content)
	}
	strict, err := strictjson.UnmarshalStrict(content, response)
	if err := errors.Join(append(strict, err)...); err != nil {
		return fmt.Errorf("decode the response of %s: %w", h.Webhook.URL, err)
	}
	return nil
}
