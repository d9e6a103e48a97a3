package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// request is a kind of request to the API server, for example create deployments or update memcacheds/status.
type request struct{ verb, resource string }

// countRequests counts the controller's requests in the API server's audit log from an offset. Discovery requests, which have
// no resource, and watches do not count.
func (r *running) countRequests(offset int64) (map[request]int, error) {
	file, err := os.Open(r.cluster.AuditLog)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	counts := map[request]int{}
	for events := json.NewDecoder(file); ; {
		var event struct {
			Verb      string
			User      struct{ Username string }
			ObjectRef struct{ Resource, Subresource string }
		}
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return counts, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		if event.User.Username == r.user && resource != "" && event.Verb != "watch" {
			counts[request{event.Verb, resource}]++
		}
	}
}

func (r *running) auditSize() (int64, error) {
	info, err := os.Stat(r.cluster.AuditLog)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// waitQuiet waits until the audit log, which has only requests of controllers, has not grown for three seconds.
func (r *running) waitQuiet(ctx context.Context) error {
	for before := int64(-1); ; {
		size, err := r.auditSize()
		if err != nil || size == before {
			return err
		}
		before = size
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(3 * time.Second):
		}
	}
}
