package client

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/loopback"
)

func TestASCIIPassword(t *testing.T) {
	const early = "CLIENT_ERROR unauthenticated\r\n"
	for _, test := range []struct {
		reason    string
		responses []string // to version, the login and the password
		want      string
	}{
		{"the right password", []string{early, "", "STORED\r\n"}, ""},
		{"a wrong password", []string{early, "", "CLIENT_ERROR authentication failure\r\n"}, "authentication failure"},
		{"a server without passwords, which would store the login", []string{"VERSION 1.6.18\r\n", "", "STORED\r\n"}, "Remove --auth"},
		{"another response", []string{"ERROR\r\n", "", "STORED\r\n"}, `responds with "ERROR"`},
		{"a response that a terminal executes", []string{"\x1b[2J\r\n", "", "STORED\r\n"}, `responds with "\x1b[2J"`},
		{"a long response", []string{"ERROR " + strings.Repeat("\x1b", 60_000) + "\r\n"}, `\x1b" to a command`},
		{"such a response to the password", []string{early, "", "\u009b\u202e\r\n"}, `password: "\u009b\u202e"`},
	} {
		_, err := Dial(t.Context(), serve(t, test.responses...), Config{Timeout: time.Second, Auth: AuthASCII, User: "u", Password: "p"})
		if message := errorText(err); (test.want == "") != (err == nil) || !strings.Contains(message, test.want) || len(message) > 1000 {
			t.Errorf("%s: got the error %.1000q, want %q", test.reason, message, test.want)
		}
	}
}

// TestDialErrors checks that errors have the address once, and say which flag is wrong.
func TestDialErrors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	address := closed.Addr().String()
	if _, err := Dial(t.Context(), address, Config{Timeout: time.Second}); errorText(err) != "connect to "+address+": connect: connection refused" {
		t.Errorf("a closed port: got the error %v", err)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	go func() {
		if connection, err := plain.Accept(); err == nil {
			_, _ = io.WriteString(connection, "ERROR\r\n")
		}
	}()
	config := Config{Timeout: time.Second, TLS: &tls.Config{MinVersion: tls.VersionTLS12}}
	if _, err := Dial(t.Context(), plain.Addr().String(), config); !strings.Contains(errorText(err), "remove --tls") {
		t.Errorf("TLS to a plain port: got the error %v", err)
	}
}

// TestDialPrintsNoLineOfTheServer: a name in the certificate of a server must not look like another line of the output.
func TestDialPrintsNoLineOfTheServer(t *testing.T) {
	authority := ca.New()
	settings := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Certificate(ca.Subject{DNSName: "a\nmemcached-operator: all is well"})}}
	address := loopback.Serve(t, func(connection net.Conn) { _ = tls.Server(connection, settings).Handshake() })
	config := Config{Timeout: time.Second, TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authority.Pool(), ServerName: "cache"}}
	if _, err := Dial(t.Context(), address, config); !strings.Contains(errorText(err), "a memcached-operator") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got the error %q", errorText(err))
	}
}
