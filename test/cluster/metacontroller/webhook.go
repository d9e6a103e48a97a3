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

// tooManyRequests is the answer 429: the hook says itself when to ask again.
type tooManyRequests struct{ after time.Duration }

func (e tooManyRequests) Error() string {
	return fmt.Sprintf("too many requests, retry after %s", e.after)
}

// call posts a request and decodes the answer. Only 200 is one: any other status leaves the cluster as it is.
func (h *hook) call(ctx context.Context, as *caller, request, response any) error {
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
	if as.authorization != "" {
		post.Header.Set("Authorization", as.authorization)
	}
	answer, err := as.client.Do(post)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // without one: at once, like Metacontroller
		return tooManyRequests{after: time.Duration(seconds) * time.Second}
	}
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", h.Webhook.URL, answer.Status, content)
	}
	strict, err := strictjson.UnmarshalStrict(content, response)
	if err := errors.Join(append(strict, err)...); err != nil {
		return fmt.Errorf("read the answer of %s: %w", h.Webhook.URL, err)
	}
	return nil
}
