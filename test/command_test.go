package test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgram runs memcached-operator like a user.
func TestProgram(t *testing.T) {
	program := build(t)
	t.Run("usage", func(t *testing.T) { testUsage(t, program) })
	t.Run("help and version", func(t *testing.T) { testHelpAndVersion(t, program) })
	t.Run("reference", func(t *testing.T) { testReference(t, program) })
	t.Run("serve exits after SIGTERM", func(t *testing.T) { testServeExits(t, program) })
}

// build builds the program with the race detector if the test has it, so that both share compiled packages.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memcached-operator")
	cmd := exec.Command("go", "build", "-race="+raceDetector(t), "-o", path, ".")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return path
}

// raceDetector returns "true" if the test has the race detector.
func raceDetector(t *testing.T) string {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test has no build information")
	}
	for _, setting := range info.Settings {
		if setting.Key == "-race" {
			return setting.Value
		}
	}
	return "false"
}

// finish runs a command in the root directory of the repository and returns its output and exit code.
func finish(t *testing.T, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "..", &out, &errs
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // otherwise the race detector waits 1 s at the exit
	if err := cmd.Run(); err != nil {
		exit, ended := errors.AsType[*exec.ExitError](err)
		if !ended {
			t.Fatalf("run %v: %v", args, err)
		}
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

func testUsage(t *testing.T, program string) {
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
		{"render without a file", []string{"render"}, "-f FILE"},
		{"an unknown output format", []string{"render", "-f", "-", "-o", "xml"}, "xml"},
		{"a limit of 0 requests", []string{"-max-in-flight", "0"}, "-max-in-flight"},
		{"the largest body would always be refused", []string{"-max-body-bytes", "10", "-max-in-flight-bytes", "9"}, "-max-in-flight-bytes"},
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
		stdout, stderr, code := finish(t, program, test.args...)
		if code != 2 || !strings.Contains(stderr, test.message) {
			t.Errorf("%s: exit code %d, stderr %q; want 2, an error with %s", test.reason, code, stderr, test.message)
		}
		if strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: stderr %q, stdout %q, want one line on stderr only", test.reason, stderr, stdout)
		}
	}
}

func testHelpAndVersion(t *testing.T, program string) {
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
		stdout, stderr, code := finish(t, program, test.args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, test.want) {
			t.Errorf("%v: exit code %d, stderr %q, stdout %q, want %q", test.args, code, stderr, stdout, test.want)
		}
	}
}

func testServeExits(t *testing.T, program string) {
	cmd, line := startProgram(t, program, "-ops-address", "")
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
func startProgram(t *testing.T, program string, args ...string) (cmd *exec.Cmd, line []byte) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), program, append([]string{"-address", "127.0.0.1:0", "-log-format", "json"}, args...)...)
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
