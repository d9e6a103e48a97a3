package corevalidation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestAnnotations(t *testing.T) {
	cases := []struct {
		reason      string
		annotations map[string]string
		want        string
	}{
		{"none", nil, ""},
		{"capitals", map[string]string{"Example.com/A": "b"}, ""},
		{"an invalid key", map[string]string{"a b": "c"}, "spec: Invalid value"},
		{"just below the limit", map[string]string{"a": strings.Repeat("b", 119<<10)}, ""},
		{"too large together with its copy", map[string]string{"a": strings.Repeat("b", 120<<10)}, "spec: Forbidden"},
		{"too large as JSON", map[string]string{"a": strings.Repeat("<", 21<<10)}, "spec: Forbidden"},
		{"too large for any object", map[string]string{"a": strings.Repeat("b", 257<<10)}, "spec: Too long"},
	}
	for _, test := range cases {
		expect(t, test.reason, Annotations(specPath, test.annotations), test.want)
	}
}

func TestImage(t *testing.T) {
	cases := []struct{ reason, name, want string }{
		{"none", "", ""},
		{"a tag and a digest", "registry.example.com:5000/a/B:1@sha256:00", ""},
		{"a blank at the end", "memcached:1 ", "spec: Invalid value"},
		{"a line break", "memcached:1\n", "spec: Invalid value"},
		{"a blank beyond ASCII", "memcached:1\u00a0", "spec: Invalid value"},
		{"the maximum length", strings.Repeat("a", 1024), ""},
		{"too long", strings.Repeat("a", 1025), "spec: Too long"},
	}
	for _, test := range cases {
		expect(t, test.reason, Image(specPath, test.name), test.want)
	}
}

func TestImagePullSecrets(t *testing.T) {
	cases := []struct {
		reason string
		names  []string
		want   string
	}{
		{"none", nil, ""},
		{"two", []string{"a", "b.c"}, ""},
		{"an empty name", []string{""}, "spec[0].name: Required value"},
		{"a duplicate", []string{"a", "a"}, "spec[1].name: Duplicate value"},
		{"an invalid name", []string{"A"}, "spec[0].name: Invalid value"},
	}
	for _, test := range cases {
		var secrets []corev1.LocalObjectReference
		for _, name := range test.names {
			secrets = append(secrets, corev1.LocalObjectReference{Name: name})
		}
		expect(t, test.reason, ImagePullSecrets(specPath, secrets), test.want)
	}
}
