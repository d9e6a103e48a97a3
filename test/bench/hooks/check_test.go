package main

import (
	"fmt"
	"testing"
)

// TestCheckAnswer: a peer that answers fast because it answers wrongly must not get into the table.
func TestCheckAnswer(t *testing.T) {
	const format = `{"status":{"nodes":[%s]},"children":[{"kind":"Deployment","metadata":{"name":"cache"},"spec":{"replicas":%s}}]}`
	cases := []struct {
		reason, body string
		right        bool
	}{
		{"the whole answer", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "1"), true},
		{"a constant", `{"status":{},"children":[]}`, false},
		{"no node", fmt.Sprintf(format, ``, "1"), false},
		{"another node", fmt.Sprintf(format, `"cache-x"`, "1"), false},
		{"another number of replicas", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "2"), false},
		{"no number of replicas", fmt.Sprintf(format, `"cache-6d5f8b48bb-00000"`, "null"), false},
		{"no child", `{"status":{"nodes":["cache-6d5f8b48bb-00000"]},"children":[]}`, false},
		{"no JSON", `ok`, false},
	}
	for _, test := range cases {
		if err := checkAnswer([]byte(test.body), 1); (err == nil) != test.right {
			t.Errorf("%s: error %v", test.reason, err)
		}
	}
}
