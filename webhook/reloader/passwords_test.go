package reloader

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/client"
)

func TestMemcachedProcess(t *testing.T) {
	cases := []struct {
		reason    string
		processes map[string]string
		want      int
		found     bool
	}{
		{"memcached next to the reloader and the exporter", map[string]string{"1": "pause\n", "14": "memcached\n", "20": "memcached-opera\n"}, 14, true},
		{"memcached has ended", map[string]string{"1": "pause\n", "20": "memcached-opera\n"}, 0, false},
		{"files that are no process", map[string]string{"self": "memcached\n"}, 0, false},
		{"a name that starts with a digit", map[string]string{"1x": "memcached\n"}, 0, false},
	}
	for _, test := range cases {
		proc := t.TempDir()
		for id, name := range test.processes {
			addProcess(t, proc, id, name)
		}
		if got, err := memcachedProcess(proc); got != test.want || (err == nil) != test.found {
			t.Errorf("%s: got %d, %v, want %d", test.reason, got, err, test.want)
		}
	}
}

// addProcess adds a process to a directory such as /proc.
func addProcess(t *testing.T, proc, id, name string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(proc, id), 0o700); err != nil {
		t.Fatal(err)
	}
	ca.Write(filepath.Join(proc, id), "comm", []byte(name))
}

// TestSignalMemcached checks the signal with a process that it ends. A real memcached loads its passwords: see test/servers.
func TestSignalMemcached(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // or the process ignores the signal if this one was started with nohup
	defer signal.Stop(signals)
	process := exec.CommandContext(t.Context(), "sleep", "600")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	proc := t.TempDir()
	addProcess(t, proc, strconv.Itoa(process.Process.Pid), "memcached\n")
	if err := signalMemcached(proc); err != nil {
		t.Fatal(err)
	}
	err := process.Wait()
	if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGHUP {
		t.Errorf("the process ended with %v, want a hangup", err)
	}
	if err := signalMemcached(t.TempDir()); err == nil {
		t.Error("no error, although no process is named memcached")
	}
}

// TestReloadPasswords checks the logins after the signal. memcached loads its passwords about a second later.
func TestReloadPasswords(t *testing.T) {
	cases := []struct {
		reason string
		change func(*imitation, *Config)
		want   string // "" for no error
	}{
		{"memcached loads the passwords immediately", func(*imitation, *Config) {}, ""},
		{"memcached loads the passwords after the first login", func(m *imitation, c *Config) {
			c.Signal, m.refused = func() error { return nil }, m.read
		}, ""},
		{"memcached cannot be signaled", func(_ *imitation, c *Config) { c.Signal = func() error { return os.ErrPermission } }, "signaling memcached to load its passwords: permission denied"},
		{"there is no user", func(m *imitation, _ *Config) { m.write("\n") }, "line 1 of passwords is not of the form user:password, so memcached keeps using the earlier passwords"},
	}
	for _, test := range cases {
		m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
		config := m.config(t)
		m.write("app:two\n")
		test.change(m, &config)
		loaded, err := config.reloadPasswords()
		switch {
		case test.want == "" && (err != nil || loaded != "password of 1 user"):
			t.Errorf("%s: loaded %q, %v", test.reason, loaded, err)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("%s: error %v, want %s", test.reason, err, test.want)
		}
	}
}

// TestLogInAll checks that the error names the user whose password memcached does not accept.
func TestLogInAll(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	err := config.logInAll([]user{{"app", "one"}, {"app", "other"}})
	if want := "user 2 of the password file: memcached does not accept the password"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRevokedPasswords: memcached keeps all earlier passwords if it cannot open the file, and a user of the new one can have an earlier password.
func TestRevokedPasswords(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	for _, test := range []struct {
		reason string
		known  []user
		want   string
	}{
		{"the file still has it", []user{{"app", "two"}}, ""},
		{"memcached refuses it", []user{{"app", "zero"}}, ""},
		{"memcached accepts it", []user{{"app", "zero"}, {"app", "one"}}, "memcached still accepts a password that the file no longer has"},
	} {
		config := m.config(t)
		err := config.refusesAll(revoked(test.known, []user{{"app", "two"}}))
		if err != nil && err.Error() != test.want || err == nil && test.want != "" {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestLogInOverClosedConnection checks that a broken connection is not reported as a wrong password.
func TestLogInOverClosedConnection(t *testing.T) {
	broken, server := net.Pipe()
	server.Close()
	if err := logIn(&client.Conn{Conn: broken}, user{"app", "one"}); err == nil || strings.Contains(err.Error(), "password") {
		t.Errorf("error %v, want %v", err, io.ErrClosedPipe)
	}
}
