// Package command_test runs memcached-operator like a user: the binary of the test is the program too.
package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/example/memcached-operator/test/loopback"
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

// TestUsage checks that a wrong command line gets one sentence and a hint on stderr, and exit code 2.
func TestUsage(t *testing.T) {
	t.Parallel()
	const hint = "Run 'memcached-operator%s --help' for usage.\n"
	cases := []struct {
		reason  string
		args    []string
		message string
		help    string // the command of the hint
	}{
		{"an unknown command", []string{"start"}, `unknown command "start" for "memcached-operator"`, ""},
		{"help for an unknown command, which is not printed raw", []string{"help", "start\u202e"}, `unknown command "start\u202e" for "memcached-operator"`, " help"},
		{"an unknown flag", []string{"serve", "--bind", ":1"}, "unknown flag: --bind", " serve"},
		{"an argument after the flags", []string{"serve", "now"}, `unknown command "now" for "memcached-operator serve"`, " serve"},
		{"an argument of a command of pods", []string{"reload", "--tls", "x", "now"}, `unknown command "now" for "memcached-operator reload"`, " reload"},
		{"a name that is no choice", []string{"serve", "--log-format", "xml"}, `invalid argument "xml" for "--log-format" flag: use text or json`, " serve"},
		{"a limit that refuses all requests", []string{"serve", "--max-body-bytes", "0"}, "--max-body-bytes, --max-connections and --max-heap-bytes must be greater than 0", " serve"},
		{"a heap that is full before the first request", []string{"serve", "--max-heap-bytes", "1000000"}, "--max-heap-bytes must be at least 16777216, because the hook without requests needs up to half of it", " serve"},
		{"a limit of 0 connections", []string{"serve", "--max-connections", "0"}, "--max-body-bytes, --max-connections and --max-heap-bytes must be greater than 0", " serve"},
		{"a negative delay", []string{"serve", "--shutdown-delay", "-1s"}, "--shutdown-delay and --shutdown-timeout must not be negative", " serve"},
		{"a certificate without its key", []string{"serve", "--tls-cert", "tls.crt"}, "--tls-cert and --tls-key must be set together", " serve"},
		{"a key without its certificate", []string{"serve", "--tls-key", "tls.key"}, "--tls-cert and --tls-key must be set together", " serve"},
		{"plain HTTP has no certificates", []string{"serve", "--client-ca", "ca.crt"}, "--client-ca requires --tls-cert, because plain HTTP has no certificates", " serve"},
		{"names that are not verified", []string{"serve", "--client-names", "a"}, "--client-names requires --client-ca, which verifies the names", " serve"},
		{"an empty name among others", []string{"serve", "--client-names", "a,"}, emptyName, " serve"},
		{"no name, for example from an empty variable", []string{"serve", "--client-names="}, emptyName, " serve"},
		{"render without a file", []string{"render"}, "render requires a file, a directory, or - for standard input", " render"},
		{"advise without a server", []string{"advise"}, "advise requires the host:port of a server, or -f with a Memcached whose status lists servers", " advise"},
		{"a password that is not given", []string{"advise", "--auth=ascii", "a:1"}, "--auth=ascii requires --password-file", " advise"},
		{"a CA without TLS", []string{"advise", "--tls-ca=ca.crt", "a:1"}, "the --tls-* flags require --tls", " advise"},
		{"an interval without time", []string{"advise", "--watch=0s", "a:1"}, "--watch must be at least 1s", " advise"},
		{"an address without a host", []string{"advise", "a:1", ":2"}, "argument 2 is not the host:port of a server", " advise"},
		{"a user without a password", []string{"advise", "--user=me", "a:1"}, "--user and --password-file require --auth", " advise"},
		{"a client certificate without its key", []string{"advise", "--tls", "--tls-cert=tls.crt", "a:1"}, "--tls-cert and --tls-key must be set together", " advise"},
		{"reload without files", []string{"reload"}, "reload requires --tls or --passwords: set the files that memcached must reload", " reload"},
		{"copy without servers", []string{"copy", "--rate", "5"}, "copy requires --from and --through: set the host:port of the server and of the proxies", " copy"},
		{"a rate of 0", []string{"copy", "--from", "a:1", "--through", "b:1", "--rate", "0"}, "--rate, --in-flight and --patience must be greater than 0", " copy"},
		{"clean without a server", []string{"clean", "--of", "5"}, "clean requires --server: set the host:port of the server", " clean"},
		{"clean without the number of servers", []string{"clean", "--server", "a-{ordinal}:1"}, "clean requires --of: set the number of servers that keys are distributed to", " clean"},
		{"clean of a server without an ordinal", []string{"clean", "--server", "a-{ordinal}:1", "--ordinals", "0,3,2", "--index", "3", "--of", "0"}, "--index 3 must be at least 0 and less than 3, the number of --ordinals", " clean"},
		{"clean of a server beyond the last", []string{"clean", "--server", "a-{ordinal}:1", "--index", "3", "--of", "3"}, "--index 3 must be at least 0 and less than 3, the value of --of", " clean"},
		{"an interval of 0", []string{"reload", "--tls", "x", "--interval", "0"}, "--interval must be greater than 0, and --patience must not be negative", " reload"},
		{"hold without a grace period", []string{"hold", "--memcached", "a:1", "--grace", "0s"}, "--grace must be greater than 0", " hold"},
		{"hold would wait for ever without a memcached", []string{"hold"}, "hold requires --memcached: set the host:port of the memcached in the same pod", " hold"},
		{"export would wait for ever without a proxy", []string{"export"}, "export requires --proxy: set the host:port of the proxy in the same pod", " export"},
	}
	for _, test := range cases {
		stdout, stderr, code := finish(t, test.args...)
		want := fmt.Sprintf("memcached-operator: %s\n"+hint, test.message, test.help)
		if diff := cmp.Diff(want, stderr); diff != "" || code != 2 || stdout != "" {
			t.Errorf("%s: exit code %d, stdout %q, want 2 and no output (stderr -want +got):\n%s", test.reason, code, stdout, diff)
		}
	}
}

const emptyName = "--client-names must not contain an empty name, which would allow certificates without a name"

// TestRequiredFlags: a default of a flag that is required would look like a value that works.
func TestRequiredFlags(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"hold", "export", "clean"} {
		help, _, _ := finish(t, command, "--help")
		if !strings.Contains(help, "(required)") || strings.Contains(help, "(required) (default") {
			t.Errorf("%s --help marks no flag as required, or shows a default of one:\n%s", command, help)
		}
	}
}

// TestFailures checks that a failure gets one sentence on stderr, and exit code 1. The command line is right, so there is no hint.
func TestFailures(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	used := listener.Addr().String()
	silent, plain := closeConnections(t), filepath.Join(t.TempDir(), "cache.yaml")
	if err := os.WriteFile(plain, []byte("sessions\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	invalid := filepath.Join(t.TempDir(), "invalid.yaml")
	if err := os.WriteFile(invalid, []byte(validCache+"  flash: {size: 10Gi, storageClassName: ssd, pageSize: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sparse := filepath.Join(t.TempDir(), "sparse.yaml")
	if err := errors.Join(os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 1<<40)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason  string
		args    []string
		message string
	}{
		{"a file of a terabyte, which takes no space on the disk", []string{"render", sparse}, sparse + " is larger than 8388608 bytes"},
		{"a password that is cut would be another one", []string{"advise", "--auth=ascii", "--password-file", sparse, used}, sparse + " is larger than 8388608 bytes"},
		{"an address of another sidecar", []string{"hold", "--address", used, "--memcached", used}, "cannot listen on " + used + ": address already in use"},
		{"an address of another program", []string{"serve", "--address", used}, "cannot listen on " + used + ": address already in use"},
		{"a missing file", []string{"render", "nothing.yaml"}, "cannot read nothing.yaml: no such file or directory"},
		{"another kind", []string{"advise", "-f", "manifests/samples/proxy_v1alpha1_nginx.yaml"}, `manifests/samples/proxy_v1alpha1_nginx.yaml is not a Memcached: its kind is "Nginx"`},
		{"a file without an object", []string{"advise", "-f", plain}, plain + " is not a Memcached: it is not an object with apiVersion and kind"},
		{"an invalid cache, whose memory cannot be computed", []string{"advise", "-f", invalid, used}, invalid + ", Memcached default/cache: spec.flash.pageSize: Invalid value: \"1\": must be a quantity from 2Mi to 1Gi"},
		{"a server with SASL", []string{"advise", silent}, silent + " closed the connection: it may require --tls, or use SASL, which advise does not support"},
	} {
		stdout, stderr, code := finish(t, test.args...)
		stderr = strings.TrimPrefix(stderr, "Watching the requests of clients for 5m0s.\n")
		if diff := cmp.Diff("memcached-operator: "+test.message+"\n", stderr); diff != "" || code != 1 || stdout != "" {
			t.Errorf("%s: exit code %d, stdout %q, want 1 and no output (stderr -want +got):\n%s", test.reason, code, stdout, diff)
		}
	}
}

// closeConnections returns the address of a server that closes a connection after the first line, as memcached with SASL does.
func closeConnections(t *testing.T) string {
	t.Helper()
	return loopback.Serve(t, func(connection net.Conn) { _, _ = bufio.NewReader(connection).ReadString('\n') })
}

// TestVersion checks that the version names Go and the platform, for reports of defects.
func TestVersion(t *testing.T) {
	t.Parallel()
	text, stderr, code := finish(t, "--version")
	if !strings.Contains(text, runtime.Version()) || !strings.Contains(text, runtime.GOARCH) || strings.Count(text, "\n") != 1 || code != 0 || stderr != "" {
		t.Errorf("--version printed %q with exit code %d, stderr %q, want one line", text, code, stderr)
	}
}

// TestContainerArguments checks that the program accepts the arguments of its containers in the golden responses.
func TestContainerArguments(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"auth-ascii": "reloader", "metrics-of-tls-and-sasl": "reloader", "proxies-created": "hold", "proxies-copy-begins": "move", "proxies-cleaning": "reach"} {
		content, err := os.ReadFile("../../test/testdata/memcached/sync/" + name + "/response.json")
		if err != nil {
			t.Fatal(err)
		}
		var response struct{ Children []appsv1.Deployment }
		if err := json.Unmarshal(content, &response); err != nil {
			t.Fatal(err)
		}
		var args []string
		for _, child := range response.Children {
			for _, container := range slices.Concat(child.Spec.Template.Spec.InitContainers, child.Spec.Template.Spec.Containers) {
				if container.Name == command {
					args = container.Args
				}
			}
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$(JOB_COMPLETION_INDEX)", "1") // as the kubelet does
		}
		if _, stderr, code := finish(t, append(args, "--help")...); len(args) < 2 || code != 0 {
			t.Errorf("%s: exit code %d for the arguments %q of %s: %s", name, code, args, command, stderr)
		}
	}
}

// TestServeExits checks that SIGTERM ends the server with exit code 0.
func TestServeExits(t *testing.T) {
	t.Parallel()
	cmd, line := startProgram(t, "--ops-address", "")
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
	cmd = program(t, append([]string{"serve", "--address", "127.0.0.1:0", "--log-format", "json"}, args...)...)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		hung.Stop()
		_ = cmd.Process.Kill() // unless the test has waited for its end
		_ = cmd.Wait()
	})
	line, err = bufio.NewReader(logs).ReadBytes('\n')
	if err != nil {
		t.Fatalf("reading the log: %v", err)
	}
	return cmd, line
}
