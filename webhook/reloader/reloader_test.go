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
	ca.Write(filepath.Dir(m.file), filepath.Base(m.file), []byte(content))
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

// TestRun: a change that memcached accepts ends nothing. A failure does, and so does its end, each once.
func TestRun(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	accepted := m.config(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	accepted.Signal = func() error { // the first time at the start, then after the change
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
	if err := Run(ctx, m.config(t)); err == nil || err.Error() != "passwords holds no line of user:password" {
		t.Errorf("a change that memcached cannot accept: Run returned %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { m.write("app:three\n") })
	if err := Run(ctx, m.config(t)); err != nil || ctx.Err() != nil {
		t.Errorf("the failure that the status of the pod shows is over: Run returned %v, %v", err, ctx.Err())
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
		got, err := usersIn(ca.Write(t.TempDir(), "passwords", []byte(test.content)))
		if (err != nil) != (test.want == nil) {
			t.Errorf("%s: %v", test.reason, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(user{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestCertificateIn(t *testing.T) {
	certificate, key := ca.New().Issue(ca.Subject{CommonName: "cache"})
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
		_, err := certificateIn(ca.Write(t.TempDir(), "tls.crt", []byte(test.content)))
		if (err == nil) != test.found || err != nil && !strings.HasPrefix(err.Error(), "tls.crt") {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}
