package main

import (
	"context"
	"os"
	"time"
)

// request is a kind of request to the API server, for example create deployments or update memcacheds/status.
type request struct{ verb, resource string }

// countRequests counts the controller's requests in the API server's audit log from an offset. Discovery requests, which have
// no resource, and watches do not count.
func (r *running) countRequests(offset int64) (map[request]int, error) {
	requests, _, err := r.cluster.Requests(offset)
	counts := map[request]int{}
	for _, each := range requests {
		resource := each.ObjectRef.Resource
		if each.ObjectRef.Subresource != "" {
			resource += "/" + each.ObjectRef.Subresource
		}
		if each.User.Username == r.user && resource != "" && each.Verb != "watch" {
			counts[request{each.Verb, resource}]++
		}
	}
	return counts, err
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
