package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	cases := []struct {
		reason   string
		args     []string
		sentence string
	}{
		{"a command that is none", []string{"sevre"}, `"sevre"`},
		{"a flag that is none", []string{"serve", "-bind", ":1"}, "-bind"},
		{"a flag without serve is one of serve", []string{"-bind", ":1"}, "-bind"},
		{"an argument after the flags", []string{"serve", "now"}, `"now"`},
		{"a level that is none", []string{"-log-level", "loud"}, "loud"},
		{"a format that is none", []string{"-log-format", "xml"}, "xml"},
		{"a limit that lets nothing in", []string{"-max-body-bytes", "0"}, "-max-body-bytes"},
		{"render without a file", []string{"render"}, "-f FILE"},
		{"render into a format that is none", []string{"render", "-f", "-", "-o", "xml"}, "xml"},
		{"no request would get in", []string{"-max-in-flight", "0"}, "-max-in-flight"},
		{"the largest body would never get in", []string{"-max-body-bytes", "10", "-max-in-flight-bytes", "9"}, "-max-in-flight-bytes"},
		{"time runs forward", []string{"-shutdown-delay", "-1s"}, "-shutdown-delay"},
		{"a certificate without its key", []string{"-tls-cert", "tls.crt"}, "-tls-key"},
		{"a key without its certificate", []string{"-tls-key", "tls.key"}, "-tls-cert"},
		{"plain HTTP has no certificates", []string{"-client-ca", "ca.crt"}, "-tls-cert"},
		{"names that nobody vouches for", []string{"-client-names", "a"}, "-client-ca"},
		{"an empty name, which certificates without a name have too", []string{"-client-names", "a,"}, "-client-names"},
		{"a version that is broken", []string{"-tls-min-version", "1.1"}, "-tls-min-version"},
		{"a version of what is not there", []string{"-tls-min-version", "1.2"}, "-tls-cert"},
		{"reload without anything to reload", []string{"reload"}, "-tls or -passwords"},
		{"reload takes flags only", []string{"reload", "-tls", "x", "now"}, `"now"`},
		{"nobody looks all the time", []string{"reload", "-tls", "x", "-interval", "0"}, "-interval"},
		{"version takes nothing", []string{"version", "-v"}, "-v"},
	}
	for _, test := range cases {
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), test.args, &stdout, &stderr)
		if _, isUsage := errors.AsType[usageError](err); !isUsage || !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: error %v, want a usage error about %s", test.reason, err, test.sentence)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is more than one sentence", test.reason, err)
		}
		if stdout.Len()+stderr.Len() > 0 {
			t.Errorf("%s: printed %q %q beside the error", test.reason, &stdout, &stderr)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-h"}, "-ops-address"},
		{[]string{"help"}, "version"},
		{[]string{"reload", "-h"}, "-passwords"},
		{[]string{"serve", "-h"}, "-max-body-bytes"},
		{[]string{"render", "-h"}, "-observed"},
		{[]string{"render", "-f", "manifests/samples/cache_v1alpha1_memcached.yaml"}, "kind: Deployment"},
		{[]string{"version"}, "memcached-operator "},
	} {
		var stdout bytes.Buffer
		if err := run(t.Context(), test.args, &stdout, nil); err != nil || !strings.Contains(stdout.String(), test.want) {
			t.Errorf("%v: %v, printed %q without %q", test.args, err, &stdout, test.want)
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var stderr bytes.Buffer
	if err := run(ctx, []string{"-address", "127.0.0.1:0", "-ops-address", "", "-log-format", "json"}, nil, &stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), `"msg":"serving hooks"`) {
		t.Errorf("the log says %q", &stderr)
	}
}
