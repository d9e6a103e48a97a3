// Package command_test runs memcached-operator like a user: the binary of the test is the program too.
package command_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/command"
)

// asProgram is set in the environment of a process that is the program and not the test.
const asProgram = "TEST_AS_PROGRAM"

// TestMain runs the program instead of the tests where a test has started this binary.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(command.Main(""))
	}
	os.Exit(m.Run())
}

// program returns a command that runs the program in the root directory of the repository.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = "../.."
	// Without the option, the race detector waits 1 s at the exit.
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// finish runs the program and returns its output and exit code.
func finish(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := program(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		exit, ended := errors.AsType[*exec.ExitError](err)
		if !ended {
			t.Fatalf("run %v: %v", args, err)
		}
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

// TestUsage checks that a wrong command line gets one line on stderr and exit code 2.
func TestUsage(t *testing.T) {
	t.Parallel()
	cases := []struct {
		reason  string
		args    []string
		message string
	}{
		{"an unknown command", []string{"sevre"}, `"sevre"`},
		{"an unknown flag", []string{"serve", "-bind", ":1"}, "-bind"},
		{"a flag without a command belongs to serve", []string{"-bind", ":1"}, "-bind"},
		{"an argument after the flags", []string{"serve", "now"}, `"now"`},
		{"an unknown level", []string{"-log-level", "loud"}, "loud"},
		{"an unknown format", []string{"-log-format", "xml"}, "xml"},
		{"a limit that refuses all requests", []string{"-max-body-bytes", "0"}, "-max-body-bytes"},
		{"render without a file", []string{"render"}, "a file or a directory"},
		{"an unknown output format", []string{"render", "-f", "-", "-o", "xml"}, "xml"},
		{"a limit of 0 connections", []string{"-max-connections", "0"}, "-max-connections"},
		{"a negative delay", []string{"-shutdown-delay", "-1s"}, "-shutdown-delay"},
		{"a certificate without its key", []string{"-tls-cert", "tls.crt"}, "-tls-key"},
		{"a key without its certificate", []string{"-tls-key", "tls.key"}, "-tls-cert"},
		{"plain HTTP has no certificates", []string{"-client-ca", "ca.crt"}, "-tls-cert"},
		{"names that are not verified", []string{"-client-names", "a"}, "-client-ca"},
		{"an empty name, which would allow certificates without a name", []string{"-client-names", "a,"}, "-client-names"},
		{"an insecure version of TLS", []string{"-tls-min-version", "1.1"}, "-tls-min-version"},
		{"a version of TLS without TLS", []string{"-tls-min-version", "1.2"}, "-tls-cert"},
		{"reload without files", []string{"reload"}, "-tls or -passwords"},
		{"an argument after the flags of reload", []string{"reload", "-tls", "x", "now"}, `"now"`},
		{"an interval of 0", []string{"reload", "-tls", "x", "-interval", "0"}, "-interval"},
		{"version with an argument", []string{"version", "-v"}, "-v"},
	}
	for _, test := range cases {
		stdout, stderr, code := finish(t, test.args...)
		if code != 2 || !strings.Contains(stderr, test.message) {
			t.Errorf("%s: exit code %d, stderr %q; want 2, an error with %s", test.reason, code, stderr, test.message)
		}
		if strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: stderr %q, stdout %q, want one line on stderr only", test.reason, stderr, stdout)
		}
	}
}

// TestHelpAndVersion checks what goes to stdout.
func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
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
		stdout, stderr, code := finish(t, test.args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, test.want) {
			t.Errorf("%v: exit code %d, stderr %q, stdout %q, want %q", test.args, code, stderr, stdout, test.want)
		}
	}
}

// TestServeExits checks that SIGTERM ends the server with exit code 0.
func TestServeExits(t *testing.T) {
	t.Parallel()
	cmd, line := startProgram(t, "-ops-address", "")
	if !strings.Contains(string(line), `"msg":"serving hooks"`) {
		t.Errorf("the log begins with %q", line)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("want exit code 0, got %v", err)
	}
}

// startProgram starts the server, kills it at the end of the test or after 30 s, and returns the first line of its log.
func startProgram(t *testing.T, args ...string) (cmd *exec.Cmd, line []byte) {
	t.Helper()
	cmd = program(t, append([]string{"-address", "127.0.0.1:0", "-log-format", "json"}, args...)...)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { hung.Stop() })
	line, err = bufio.NewReader(logs).ReadBytes('\n')
	if err != nil {
		t.Fatalf("reading the log: %v", err)
	}
	return cmd, line
}
