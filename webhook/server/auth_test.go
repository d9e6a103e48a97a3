package server

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/ca"
)

func TestTokens(t *testing.T) {
	file := ca.Write(t.TempDir(), "tokens", []byte("\ufeffold-token\n\n  new-token \r\n"))
	callers, err := newAuthorizer(Config{TokenFile: file, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, header string
		code           int
	}{
		{"the first line's token, without the byte order mark before it", "Bearer old-token", 200},
		{"the last line's token, without the white space around it", "Bearer new-token", 200},
		{"schemes are case-insensitive", "bearer new-token", 200},
		{"no header", "", 401},
		{"no token", "Bearer ", 401},
		{"another token", "Bearer newer-token", 401},
		{"a prefix of a token", "Bearer old", 401},
		{"the whole file", "Bearer old-token new-token", 401},
		{"another scheme", "Basic old-token", 401},
		{"an empty line is not a token", "Bearer  ", 401},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.Header.Set("Authorization", test.header)
		wantCode(t, test.reason, callers.authorize(request), test.code)
	}
}

func TestClientNames(t *testing.T) {
	issuer := ca.New()
	presented := func(subject ca.Subject) *tls.ConnectionState {
		return &tls.ConnectionState{PeerCertificates: []*x509.Certificate{issuer.Certificate(subject).Leaf}}
	}
	file := ca.Write(t.TempDir(), "ca.crt", issuer.PEM())
	callers := func(names ...string) *authorizer {
		a, err := newAuthorizer(Config{TLS: TLS{ClientCAFile: file, ClientNames: names}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	some, every := callers("metacontroller.metacontroller.svc", "spiffe://cluster/ns/metacontroller"), callers()
	leaf := issuer.Certificate(ca.Subject{}).Leaf
	for _, test := range []struct {
		reason  string
		callers *authorizer
		state   *tls.ConnectionState
		code    int
	}{
		{"an allowed DNS name", some, presented(ca.Subject{DNSName: "metacontroller.metacontroller.svc"}), 200},
		{"an allowed URI", some, presented(ca.Subject{URI: "spiffe://cluster/ns/metacontroller"}), 200},
		{"an allowed common name", some, presented(ca.Subject{CommonName: "metacontroller.metacontroller.svc"}), 200},
		{"one allowed name is enough", some, presented(ca.Subject{CommonName: "x", DNSName: "metacontroller.metacontroller.svc"}), 200},
		{"another name from the same CA", some, presented(ca.Subject{CommonName: "prometheus"}), 403},
		{"a name with an allowed name as its prefix", some, presented(ca.Subject{DNSName: "metacontroller.metacontroller.svc.example.com"}), 403},
		{"no name at all", some, presented(ca.Subject{}), 403},
		{"without --client-names, any name is allowed", every, presented(ca.Subject{}), 200},
		{"no certificate", every, &tls.ConnectionState{}, 401},
		{"a certificate from another CA", every, &tls.ConnectionState{PeerCertificates: []*x509.Certificate{ca.New().Certificate(ca.Subject{}).Leaf}}, 401},
		{"more certificates than a chain has take much time", every, &tls.ConnectionState{PeerCertificates: slices.Repeat([]*x509.Certificate{leaf}, maxChain+1)}, 401},
		{"plain HTTP", every, nil, 401},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.TLS = test.state
		wantCode(t, test.reason, test.callers.authorize(request), test.code)
	}
}

func wantCode(t *testing.T, reason string, err error, want int) {
	t.Helper()
	got := &httpError{code: http.StatusOK}
	if err != nil {
		got = toHTTPError(err)
	}
	if got.code != want || got.code != http.StatusOK && len(got.message) < 20 {
		t.Errorf("%s: %d %q, want %d", reason, got.code, got.message, want)
	}
}

// TestInvalidCredentials: a server must not start if it cannot read the credentials that callers need.
func TestInvalidCredentials(t *testing.T) {
	directory := t.TempDir()
	certificate, key := ca.New().Issue(ca.Subject{CommonName: "hook"})
	_, otherKey := ca.New().Issue(ca.Subject{CommonName: "other"})
	certFile, keyFile := ca.Write(directory, "tls.crt", certificate), ca.Write(directory, "tls.key", key)
	other, empty := ca.Write(directory, "other.key", otherKey), ca.Write(directory, "empty", []byte("\n \n"))
	for _, test := range []struct {
		reason, message string
		config          Config
	}{
		{"a missing certificate", "nowhere", Config{TLS: TLS{CertFile: directory + "/nowhere", KeyFile: keyFile}}},
		{"the key of another certificate", "private key does not match", Config{TLS: TLS{CertFile: certFile, KeyFile: other}}},
		{"a missing CA bundle", "nowhere", Config{TLS: TLS{CertFile: certFile, KeyFile: keyFile, ClientCAFile: directory + "/nowhere"}}},
		{"a CA bundle without a certificate", "contains no certificate", Config{TLS: TLS{CertFile: certFile, KeyFile: keyFile, ClientCAFile: keyFile}}},
		{"a missing token file", "nowhere", Config{TokenFile: directory + "/nowhere"}},
		{"a token file without a token", "contains no token", Config{TokenFile: empty}},
	} {
		test.config.Logger = slog.New(slog.DiscardHandler)
		test.config.Address = "127.0.0.1:0"
		if err := Serve(t.Context(), test.config); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.message)
		}
	}
}
