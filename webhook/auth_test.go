package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/authority"
)

func TestTokens(t *testing.T) {
	file := authority.Write(t.TempDir(), "tokens", []byte("old-token\n\n  new-token \r\n"))
	callers, err := newCallers(Config{TokenFile: file, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, header string
		code           int
	}{
		{"the first line's token", "Bearer old-token", 200},
		{"the last line's token, without the space around it", "Bearer new-token", 200},
		{"schemes have no case", "bearer new-token", 200},
		{"nothing", "", 401},
		{"no token", "Bearer ", 401},
		{"another token", "Bearer newer-token", 401},
		{"the beginning of a token", "Bearer old", 401},
		{"the whole file", "Bearer old-token new-token", 401},
		{"another scheme", "Basic old-token", 401},
		{"an empty line is no token", "Bearer  ", 401},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.Header.Set("Authorization", test.header)
		wantCode(t, test.reason, callers.authorize(request), test.code)
	}
}

func TestClientNames(t *testing.T) {
	ca := authority.New()
	presented := func(subject authority.Subject) *tls.ConnectionState {
		leaf := ca.Certificate(subject).Leaf
		return &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{leaf}}}
	}
	some := &callers{certificates: true, names: []string{"metacontroller.metacontroller.svc", "spiffe://cluster/ns/metacontroller"}}
	every := &callers{certificates: true}
	for _, test := range []struct {
		reason  string
		callers *callers
		state   *tls.ConnectionState
		code    int
	}{
		{"a DNS name that is let in", some, presented(authority.Subject{DNSName: "metacontroller.metacontroller.svc"}), 200},
		{"a URI that is let in", some, presented(authority.Subject{URI: "spiffe://cluster/ns/metacontroller"}), 200},
		{"a common name that is let in", some, presented(authority.Subject{CommonName: "metacontroller.metacontroller.svc"}), 200},
		{"one good name is enough", some, presented(authority.Subject{CommonName: "x", DNSName: "metacontroller.metacontroller.svc"}), 200},
		{"another name of the same authority", some, presented(authority.Subject{CommonName: "prometheus"}), 403},
		{"a name that only begins like it", some, presented(authority.Subject{DNSName: "metacontroller.metacontroller.svc.example.com"}), 403},
		{"no name at all", some, presented(authority.Subject{}), 403},
		{"any name will do", every, presented(authority.Subject{}), 200},
		{"no certificate", every, &tls.ConnectionState{}, 401},
		{"a certificate that nobody verified", every, &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{}}}, 401},
		{"plain HTTP", every, nil, 401},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.TLS = test.state
		wantCode(t, test.reason, test.callers.authorize(request), test.code)
	}
}

func wantCode(t *testing.T, reason string, err error, want int) {
	t.Helper()
	code, sentence := http.StatusOK, ""
	if err != nil {
		code, sentence = classify(err)
	}
	if code != want || code != http.StatusOK && len(sentence) < 20 {
		t.Errorf("%s: %d %q, want %d", reason, code, sentence, want)
	}
}

// TestCredentialsThatCannotBe: a server that starts without what it was told to ask for would let everybody in.
func TestCredentialsThatCannotBe(t *testing.T) {
	folder := t.TempDir()
	certificate, key := authority.New().Issue(authority.Subject{CommonName: "hook"})
	_, otherKey := authority.New().Issue(authority.Subject{CommonName: "other"})
	certFile, keyFile := authority.Write(folder, "tls.crt", certificate), authority.Write(folder, "tls.key", key)
	other, empty := authority.Write(folder, "other.key", otherKey), authority.Write(folder, "empty", []byte("\n \n"))
	for _, test := range []struct {
		reason, sentence string
		config           Config
	}{
		{"a file that is missing", "nowhere", Config{TLS: TLS{CertFile: folder + "/nowhere", KeyFile: keyFile}}},
		{"a key of another certificate", "private key does not match", Config{TLS: TLS{CertFile: certFile, KeyFile: other}}},
		{"an authority that is missing", "nowhere", Config{TLS: TLS{CertFile: certFile, KeyFile: keyFile, ClientCAFile: folder + "/nowhere"}}},
		{"an authority without a certificate", "holds no certificate", Config{TLS: TLS{CertFile: certFile, KeyFile: keyFile, ClientCAFile: keyFile}}},
		{"tokens that are missing", "nowhere", Config{TokenFile: folder + "/nowhere"}},
		{"no token", "holds none", Config{TokenFile: empty}},
	} {
		test.config.Logger = slog.New(slog.DiscardHandler)
		test.config.Address = "127.0.0.1:0"
		if err := Serve(t.Context(), test.config); err == nil || !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.sentence)
		}
	}
}
