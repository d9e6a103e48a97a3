package main

import (
	"fmt"
	"testing"
)

// TestCheckResponse checks that a peer with wrong responses is not measured.
func TestCheckResponse(t *testing.T) {
	const format = `{"status":{"nodes":[%s]},"children":[{"kind":"Deployment","metadata":{"name":"cache"},"spec":{"replicas":%s}}]}`
	cases := []struct {
		reason, body string
		valid        bool
	}{
		{"a complete response", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "1"), true},
		{"a constant", `{"status":{},"children":[]}`, false},
		{"no node", fmt.Sprintf(format, ``, "1"), false},
		{"another node", fmt.Sprintf(format, `"cache-x"`, "1"), false},
		{"another number of replicas", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "2"), false},
		{"no number of replicas", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "null"), false},
		{"no child", `{"status":{"nodes":["cache-6d5f8b48bb-00000"]},"children":[]}`, false},
		{"invalid JSON", `ok`, false},
	}
	for _, test := range cases {
		if err := checkResponse([]byte(test.body), 1); (err == nil) != test.valid {
			t.Errorf("%s: error %v", test.reason, err)
		}
	}
}
