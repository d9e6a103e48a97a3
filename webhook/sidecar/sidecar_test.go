package sidecar

import (
	"bufio"
	"context"
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

	"github.com/example/memcached-operator/test/authority"
)

// imitation is a memcached that knows one password, and reads it again when it is told to. test/servers has the real one.
type imitation struct {
	file     string
	address  string
	password atomic.Value
}

func newImitation(t *testing.T, file string) *imitation {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	m := &imitation{file: file, address: listener.Addr().String()}
	if err := m.read(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			m.answer(connection)
		}
	}()
	return m
}

func (m *imitation) read() error {
	content, err := os.ReadFile(m.file)
	m.password.Store(strings.Replace(strings.TrimSpace(string(content)), ":", " ", 1))
	return err
}

func (m *imitation) write(content string) {
	authority.Write(filepath.Dir(m.file), filepath.Base(m.file), []byte(content))
}

func (m *imitation) answer(connection net.Conn) {
	defer connection.Close()
	lines := bufio.NewScanner(connection)
	lines.Scan() // the command, whose value is in the next line
	if lines.Scan() && lines.Text() == m.password.Load() {
		fmt.Fprint(connection, "STORED\r\n")
		return
	}
	fmt.Fprint(connection, "CLIENT_ERROR authentication failure\r\n")
}

func (m *imitation) config(t *testing.T) Config {
	return Config{
		PasswordFile: m.file, Commands: m.address, Marker: filepath.Join(filepath.Dir(m.file), "failed"),
		Interval: time.Millisecond, Patience: 10 * time.Millisecond, Signal: m.read,
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// soon ends a run that tells nothing.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// changing is a configuration under which the file changes once memcached has been told for the first time to read it.
func (m *imitation) changing(t *testing.T, content string) Config {
	config := m.config(t)
	first := true
	config.Signal = func() error {
		err := m.read()
		if first {
			first = false
			time.AfterFunc(10*time.Millisecond, func() { m.write(content) })
		}
		return err
	}
	return config
}

// TestRunTellsOnce: each change is told once, and so is a failure, until what failed was mended. A container that ended
// for each look at a Secret that stays broken would take its pod out of service.
func TestRunTellsOnce(t *testing.T) {
	m := newImitation(t, authority.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	silent := func(reason string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if report, err := Run(ctx, m.config(t)); report != "" || err != nil {
			t.Errorf("%s: told %q, %v", reason, report, err)
		}
	}
	silent("nothing has changed")

	if report, err := Run(soon(t), m.changing(t, "app:two\n")); report != "passwords of 1 users" || err != nil {
		t.Errorf("a change is told as %q, %v", report, err)
	}
	silent("the change was told")

	if report, err := Run(soon(t), m.changing(t, "nothing\n")); report != "" || err == nil || err.Error() != "passwords holds no line of user:password" {
		t.Errorf("what memcached cannot read is told as %q, %v", report, err)
	}
	silent("the failure was told")

	time.AfterFunc(20*time.Millisecond, func() { m.write("app:three\n") })
	if report, err := Run(soon(t), m.config(t)); report != "passwords of 1 users" || err != nil {
		t.Errorf("what was mended is told as %q, %v", report, err)
	}
	silent("what was mended was told")
}

// TestRunTellsWhatWasMendedMeanwhile: a failure that was told stands in the pod's status until something else is told.
func TestRunTellsWhatWasMendedMeanwhile(t *testing.T) {
	m := newImitation(t, authority.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	if err := config.rememberFailure(); err != nil {
		t.Fatal(err)
	}
	if report, err := Run(soon(t), config); report == "" || err != nil {
		t.Errorf("told %q, %v", report, err)
	}
	if config.failedBefore() {
		t.Error("the failure is remembered for ever")
	}
}

func TestUsersIn(t *testing.T) {
	cases := []struct {
		reason, content string
		want            []user
	}{
		{"a line is a user", "a:b\nc:d", []user{{"a", "b"}, {"c", "d"}}},
		{"a password has colons", "a:b:c\r\n", []user{{"a", "b:c"}}},
		{"a line without a colon is none", "a\nb:c\n", []user{{"b", "c"}}},
		{"memcached reads eight", strings.Repeat("a:b\n", 9), []user{{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}}},
		{"nobody could log in", "\n", nil},
	}
	for _, test := range cases {
		got, err := usersIn(authority.Write(t.TempDir(), "passwords", []byte(test.content)))
		if (err != nil) != (test.want == nil) {
			t.Errorf("%s: %v", test.reason, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(user{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestCertificateIn(t *testing.T) {
	certificate, key := authority.New().Issue(authority.Subject{CommonName: "cache"})
	cases := []struct {
		reason, content string
		found           bool
	}{
		{"a certificate", string(certificate), true},
		{"after its key", string(key) + string(certificate), true},
		{"a key alone", string(key), false},
		{"nothing", "", false},
		{"no PEM", "certificate", false},
		{"a damaged one", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", false},
	}
	for _, test := range cases {
		_, err := certificateIn(authority.Write(t.TempDir(), "tls.crt", []byte(test.content)))
		if (err == nil) != test.found || err != nil && !strings.HasPrefix(err.Error(), "tls.crt") {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}
