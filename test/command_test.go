package test

import (
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

// TestProgram runs memcached-operator as a user does.
func TestProgram(t *testing.T) {
	program := build(t)
	t.Run("usage", func(t *testing.T) { testUsage(t, program) })
	t.Run("help and version", func(t *testing.T) { testHelpAndVersion(t, program) })
	t.Run("serve ends when it is told", func(t *testing.T) { testServeEnds(t, program) })
}

// build builds it as this test was built, with the race detector or without: both then share what is
// compiled.
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

// raceDetector is "true" in a test that has it.
func raceDetector(t *testing.T) string {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test does not know how it was built")
	}
	for _, setting := range info.Settings {
		if setting.Key == "-race" {
			return setting.Value
		}
	}
	return "false"
}

// finish runs a command in the folder of the repository to its end, and returns what it printed and its exit code.
func finish(t *testing.T, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "..", &out, &errs
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // the race detector waits a second for stragglers
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
		stdout, stderr, code := finish(t, program, test.args...)
		if code != 2 || !strings.Contains(stderr, test.sentence) {
			t.Errorf("%s: exit code %d, want 2; it says %q, want something about %s", test.reason, code, stderr, test.sentence)
		}
		if strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: it says %q and prints %q, want one sentence alone", test.reason, stderr, stdout)
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
			t.Errorf("%v: exit code %d, it says %q and prints %q, want %q in it", test.args, code, stderr, stdout, test.want)
		}
	}
}

func testServeEnds(t *testing.T, program string) {
	cmd := exec.CommandContext(t.Context(), program, "-address", "127.0.0.1:0", "-ops-address", "", "-log-format", "json")
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	line := make([]byte, 4096)
	n, err := logs.Read(line)
	if err != nil || !strings.Contains(string(line[:n]), `"msg":"serving hooks"`) {
		t.Errorf("the log begins with %q: %v", line[:n], err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it should end well, and ends with %v", err)
	}
}
