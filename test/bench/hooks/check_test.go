package main

import (
	"fmt"
	"testing"
)

// TestCheck checks that a hook with wrong responses is not measured.
func TestCheck(t *testing.T) {
	const format = `{"status":{"nodes":[%s]},"children":[{"kind":"Deployment","metadata":{"name":"cache"},"spec":{"replicas":%d}}]}`
	const node = `"cache-6d5f8b48bb-00000"`
	if err := check(fmt.Appendf(nil, format, node, 1), 1); err != nil {
		t.Error(err)
	}
	for reason, wrong := range map[string]string{
		"no node":                    fmt.Sprintf(format, ``, 1),
		"another node":               fmt.Sprintf(format, `"cache-x"`, 1),
		"another number of replicas": fmt.Sprintf(format, node, 2),
		"no child":                   `{"status":{"nodes":[` + node + `]},"children":[]}`,
		"invalid JSON":               `ok`,
	} {
		if check([]byte(wrong), 1) == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}
