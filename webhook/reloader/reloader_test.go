package reloader

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/loopback"
)

// imitation is a server that accepts one password, and loads it again when it is signaled. test/servers uses a real
// memcached.
type imitation struct {
	file     string
	address  string
	password atomic.Value
	// refused is called after a login with another password; nil by default.
	refused func() error
}

func newImitation(t *testing.T, file string) *imitation {
	t.Helper()
	m := &imitation{file: file}
	if err := m.read(); err != nil {
		t.Fatal(err)
	}
	m.address = loopback.Serve(t, m.respond)
	return m
}

func (m *imitation) read() error {
	content, err := os.ReadFile(m.file)
	m.password.Store(strings.Replace(strings.TrimSpace(string(content)), ":", " ", 1))
	return err
}

func (m *imitation) write(content string) {
	ca.Write(filepath.Dir(m.file), filepath.Base(m.file), []byte(content))
}

func (m *imitation) respond(connection net.Conn) {
	lines := bufio.NewScanner(connection)
	lines.Scan() // the command; its value is in the next line
	if lines.Scan() && lines.Text() == m.password.Load() {
		fmt.Fprint(connection, "STORED\r\n")
		return
	}
	fmt.Fprint(connection, "CLIENT_ERROR authentication failure\r\n")
	if m.refused != nil {
		_ = m.refused() // the test reports that no login is accepted
	}
}

func (m *imitation) config(t *testing.T) Config {
	return Config{
		PasswordFile: m.file, CommandAddress: m.address, Marker: filepath.Join(filepath.Dir(m.file), "failed"),
		Interval: time.Millisecond, Patience: 10 * time.Millisecond, Signal: m.read,
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// TestRun: Run does not return after a success. It returns once for a failure, and once when the failure is over.
func TestRun(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	accepted := m.config(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	accepted.Signal = func() error { // called at the start and after the change
		if err := m.read(); err != nil || m.password.Load() == "app two" {
			cancel()
			return err
		}
		m.write("app:two\n")
		return nil
	}
	if err := Run(ctx, accepted); err != nil || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("a change that memcached accepts: Run returned %v, %v", err, ctx.Err())
	}

	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m.write("nothing\n")
	if err := Run(ctx, m.config(t)); err == nil || !strings.Contains(err.Error(), "line 1 of passwords is not") {
		t.Errorf("a change that memcached does not accept: Run returned %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { m.write("app:three\n") })
	if err := Run(ctx, m.config(t)); err != nil || ctx.Err() != nil {
		t.Errorf("the failure is over: Run returned %v, %v", err, ctx.Err())
	}
}

// TestContent checks that only the CA may be missing: without a certificate or its key, the files are not complete yet.
func TestContent(t *testing.T) {
	for _, missing := range []string{certificateFile, keyFile, caFile} {
		directory := t.TempDir()
		for _, file := range []string{certificateFile, keyFile, caFile} {
			if file != missing {
				ca.Write(directory, file, []byte(file))
			}
		}
		config := Config{TLSDirectory: directory}
		content, err := config.content()
		if (err == nil) != (missing == caFile) || err == nil && (!strings.Contains(content, certificateFile) || !strings.Contains(content, keyFile)) {
			t.Errorf("without %s: content %q, error %v", missing, content, err)
		}
	}
}

func TestUsersIn(t *testing.T) {
	cases := []struct {
		reason, content string
		want            []user
	}{
		{"two users", "a:b\nc:d", []user{{"a", "b"}, {"c", "d"}}},
		{"a password with a colon", "a:b:c\r\n", []user{{"a", "b:c"}}},
		{"memcached loads no file that has a line without a colon", "b:c\n# a\n", nil},
		{"an empty line", "b:c\n\n", nil},
		{"memcached reads eight users", strings.Repeat("a:b\n", 9), []user{{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}}},
		{"no user", "\n", nil},
	}
	for _, test := range cases {
		got, err := usersIn(ca.Write(t.TempDir(), "passwords", []byte(test.content)))
		if (err != nil) != (test.want == nil) {
			t.Errorf("%s: %v", test.reason, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(user{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
