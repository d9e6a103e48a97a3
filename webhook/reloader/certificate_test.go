package reloader

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/loopback"
)

// tlsImitation is a server with TLS that loads its certificate again on refresh_certs. test/servers uses a real memcached.
type tlsImitation struct {
	directory  string
	ecdsa, rsa atomic.Pointer[tls.Certificate] // OpenSSL keeps one for each kind of key
	commands   atomic.Int32
	// response is what the server returns; without OK it loads nothing.
	response string
	// stale makes the server respond without loading anything.
	stale bool
}

func newTLSImitation(t *testing.T, m *tlsImitation) Config {
	t.Helper()
	m.load(t)
	config := &tls.Config{GetCertificate: m.present}
	return Config{
		TLSDirectory: m.directory,
		CommandAddress: loopback.Serve(t, func(connection net.Conn) {
			for lines := bufio.NewScanner(connection); lines.Scan() && lines.Text() != "refresh_certs"; {
				continue
			}
			m.commands.Add(1)
			if !m.stale && m.response == "OK" {
				m.load(t)
			}
			fmt.Fprintf(connection, "%s\r\n", m.response)
		}),
		TLSAddress: loopback.Serve(t, func(connection net.Conn) { _ = tls.Server(connection, config).Handshake() }),
	}
}

func (m *tlsImitation) load(t *testing.T) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(m.directory, certificateFile), filepath.Join(m.directory, keyFile))
	if err != nil {
		t.Error(err)
	}
	if _, isRSA := pair.PrivateKey.(*rsa.PrivateKey); isRSA {
		m.rsa.Store(&pair)
	} else {
		m.ecdsa.Store(&pair)
	}
}

func (m *tlsImitation) present(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	for _, each := range []*tls.Certificate{m.rsa.Load(), m.ecdsa.Load()} {
		if each != nil && hello.SupportsCertificate(each) == nil {
			return each, nil
		}
	}
	return nil, errors.New("no certificate for this client")
}

func TestReloadCertificate(t *testing.T) {
	authority := ca.New()
	_, otherKey := authority.Issue(ca.Subject{CommonName: "other"})
	cases := []struct {
		reason string
		change func(directory string, m *tlsImitation)
		want   string // a part of the error; "" for none
		sent   int32  // the number of commands
	}{
		{"a new certificate", func(string, *tlsImitation) {}, "", 1},
		{"a CA for client certificates", func(d string, _ *tlsImitation) { ca.Write(d, caFile, authority.PEM()) }, "", 1},
		{"a CA that is no certificate", func(d string, _ *tlsImitation) { ca.Write(d, caFile, []byte("ca")) }, "ca.crt does not contain a certificate in PEM; memcached keeps using the certificate with the serial number", 0},
		{"a CA that is not readable", func(d string, _ *tlsImitation) { _ = os.Mkdir(filepath.Join(d, caFile), 0o700) }, "is a directory; memcached keeps", 0},
		{"no certificate", func(d string, _ *tlsImitation) { os.Remove(filepath.Join(d, certificateFile)) }, "no such file", 0},
		{"a CA of which the end is missing", func(d string, _ *tlsImitation) {
			ca.Write(d, caFile, slices.Concat(authority.PEM(), authority.PEM()[:300]))
		}, "ca.crt contains a damaged block of PEM; memcached keeps", 0},
		{"a chain of which the end is missing", func(d string, _ *tlsImitation) {
			certificate, key := authority.Issue(ca.Subject{CommonName: "cache"})
			ca.Write(d, certificateFile, slices.Concat(certificate, authority.PEM()[:300]))
			ca.Write(d, keyFile, key)
		}, "tls.crt contains a damaged block of PEM; memcached keeps", 0},
		{"the key of another certificate", func(d string, _ *tlsImitation) { ca.Write(d, keyFile, otherKey) }, "tls.crt and tls.key: tls: private key does not match", 0},
		{"a certificate that has expired", func(d string, _ *tlsImitation) {
			certificate, key := authority.Issue(ca.Subject{CommonName: "cache", Expired: true})
			ca.Write(d, certificateFile, certificate)
			ca.Write(d, keyFile, key)
		}, "tls.crt is valid only from", 0},
		{"another kind of key", func(d string, _ *tlsImitation) {
			certificate, key := authority.Issue(ca.Subject{CommonName: "cache", RSA: true})
			ca.Write(d, certificateFile, certificate)
			ca.Write(d, keyFile, key)
		}, "tls.crt has an RSA key in place of an ECDSA key, which requires a restart; memcached keeps using the certificate with", 0},
		{"another kind of key, which memcached has loaded for a client's refresh_certs, beside the old one", func(d string, m *tlsImitation) {
			certificate, key := authority.Issue(ca.Subject{CommonName: "cache", RSA: true})
			ca.Write(d, certificateFile, certificate)
			ca.Write(d, keyFile, key)
			m.load(t)
		}, "tls.crt has an RSA key in place of an ECDSA key, which requires a restart; memcached keeps using the certificate with", 0},
		{"memcached does not know the command", func(_ string, m *tlsImitation) { m.response = "ERROR" }, `memcached cannot load the files: "ERROR"`, 1},
		{"a long response", func(_ string, m *tlsImitation) { m.response = strings.Repeat("E", 60_000) }, `memcached cannot load the files: "EEE`, 1},
		{"memcached serves the former certificate", func(_ string, m *tlsImitation) { m.stale = true }, "memcached keeps using the certificate with the serial number", 1},
	}
	for _, test := range cases {
		directory := t.TempDir()
		issue := func() {
			certificate, key := authority.Issue(ca.Subject{CommonName: "cache"})
			ca.Write(directory, certificateFile, certificate)
			ca.Write(directory, keyFile, key)
		}
		issue()
		m := &tlsImitation{directory: directory, response: "OK"}
		config := newTLSImitation(t, m)
		issue()
		test.change(directory, m)
		loaded, err := config.reload()
		switch {
		case test.want == "" && (err != nil || !strings.HasPrefix(loaded, "certificate with the serial number ")):
			t.Errorf("%s: loaded %q, %v", test.reason, loaded, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.want)
		case err != nil && len(err.Error()) > 1000:
			t.Errorf("%s: the error has %d bytes", test.reason, len(err.Error()))
		}
		if sent := m.commands.Load(); sent != test.sent {
			t.Errorf("%s: %d commands were sent, want %d: memcached would serve files that do not match", test.reason, sent, test.sent)
		}
	}
}

// TestNoSignalForInvalidCertificate checks that memcached gets no SIGHUP for changed passwords while the certificate is invalid: it would
// load the certificate, too, and then refuse every handshake.
func TestNoSignalForInvalidCertificate(t *testing.T) {
	directory := t.TempDir()
	ca.Write(directory, certificateFile, []byte("certificate"))
	config := Config{
		TLSDirectory: directory, PasswordFile: ca.Write(directory, "passwords", []byte("app:one\n")),
		Signal: func() error { t.Error("memcached was signaled"); return nil },
	}
	if loaded, err := config.reload(); err == nil || !strings.Contains(err.Error(), "tls.crt") {
		t.Errorf("loaded %q, error %v, want one with tls.crt", loaded, err)
	}
}

func TestServedAtClosedPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	address := listener.Addr().String()
	if served, err := servedAt(address); served != nil || err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("got %v, %v, want an error with the address", served, err)
	}
}

func TestCertificatesIn(t *testing.T) {
	authority := ca.New()
	certificate, key := authority.Issue(ca.Subject{CommonName: "cache"})
	const damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	for _, test := range []struct {
		reason  string
		content []byte
		want    int // certificates; 0 for an error
	}{
		{"a certificate", certificate, 1},
		{"a certificate after its key", slices.Concat(key, certificate), 1},
		{"a chain with comments", slices.Concat([]byte("the server\n"), certificate, []byte("the CA\n"), authority.PEM()), 2},
		{"a chain with the line ends of Windows", bytes.ReplaceAll(slices.Concat(certificate, authority.PEM()), []byte("\n"), []byte("\r\n")), 2},
		{"a key without a certificate", key, 0},
		{"an empty file", nil, 0},
		{"a file without PEM", []byte("certificate"), 0},
		{"a block that is no certificate", []byte(damaged), 0},
		{"another one that is no certificate", slices.Concat(certificate, []byte(damaged)), 0},
		{"a character that is not base64", slices.Concat(certificate, bytes.Replace(authority.PEM(), []byte("MII"), []byte("M!I"), 1)), 0},
		{"a block of which OpenSSL reads another certificate", slices.Concat(bytes.ReplaceAll(authority.PEM(), []byte("CERT"), []byte("X509 CERT")), certificate), 0},
		{"headers, which OpenSSL refuses", bytes.Replace(certificate, []byte("-----\n"), []byte("-----\nA: b\n\n"), 1), 0},
		{"an end that is missing", slices.Concat(certificate, authority.PEM()[:300]), 0},
	} {
		got, err := certificatesIn(ca.Write(t.TempDir(), "tls.crt", test.content))
		if len(got) != test.want || (err == nil) != (test.want > 0) || err != nil && !strings.HasPrefix(err.Error(), "tls.crt") {
			t.Errorf("%s: %d certificates, %v; want %d", test.reason, len(got), err, test.want)
		}
	}
}

// TestCheckStrength: OpenSSL refuses such certificates in a chain when memcached has already replaced the one that it presents.
func TestCheckStrength(t *testing.T) {
	key := func(bits uint) *rsa.PublicKey { return &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), bits-1)} }
	for _, test := range []struct {
		reason      string
		certificate x509.Certificate
		ok          bool
	}{
		{"an RSA key of 2,048 bits", x509.Certificate{PublicKey: key(2048), SignatureAlgorithm: x509.SHA256WithRSA}, true},
		{"a smaller one", x509.Certificate{PublicKey: key(2047), SignatureAlgorithm: x509.SHA256WithRSA}, false},
		{"an ECDSA key on P-256", x509.Certificate{PublicKey: &ecdsa.PublicKey{Curve: elliptic.P256()}, SignatureAlgorithm: x509.ECDSAWithSHA256}, true},
		{"an ECDSA key on P-224, for which TLS has no signature", x509.Certificate{PublicKey: &ecdsa.PublicKey{Curve: elliptic.P224()}, SignatureAlgorithm: x509.ECDSAWithSHA256}, false},
		{"SHA-1", x509.Certificate{RawIssuer: []byte("CA"), SignatureAlgorithm: x509.SHA1WithRSA}, false},
		{"SHA-1 of a root, which is not checked", x509.Certificate{SignatureAlgorithm: x509.SHA1WithRSA}, true},
	} {
		if err := checkStrength(&test.certificate); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}
