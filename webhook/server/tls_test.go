package server

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// serveTLS serves until the test ends and returns the address.
func serveTLS(t *testing.T, config Config) string {
	t.Helper()
	log := make(logLines, 16)
	config.Address, config.Logger = "127.0.0.1:0", slog.New(slog.NewTextHandler(log, nil))
	config.ShutdownTimeout = shutdownTimeout
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, config) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return attribute(<-log, " address=")
}

func TestTLS(t *testing.T) {
	ours, theirs, directory := ca.New(), ca.New(), t.TempDir()
	certificate, key := ours.Issue(ca.Subject{CommonName: "hook"})
	config := Config{Controllers: parents.Controllers(memcached.Config{}), TLS: TLS{
		CertFile: ca.Write(directory, "tls.crt", certificate),
		KeyFile:  ca.Write(directory, "tls.key", key),
	}}
	mutual := config
	mutual.TLS.ClientCAFile = ca.Write(directory, "ca.crt", ours.PEM())
	mutual.TLS.ClientNames = []string{"metacontroller"}
	mutual.TokenFile = ca.Write(directory, "token", []byte("secret"))
	oneWay, twoWay := serveTLS(t, config), serveTLS(t, mutual)

	metacontroller := ours.Certificate(ca.Subject{CommonName: "metacontroller"})
	for _, test := range []struct {
		reason, address, token string
		client                 *tls.Config
		want                   string
	}{
		{"TLS 1.3", oneWay, "", &tls.Config{RootCAs: ours.Pool()}, "200"},
		{"TLS 1.2 is refused", oneWay, "", &tls.Config{RootCAs: ours.Pool(), MaxVersion: tls.VersionTLS12}, "protocol version"},
		{"a curve that takes more CPU time is refused", oneWay, "", &tls.Config{RootCAs: ours.Pool(), CurvePreferences: []tls.CurveID{tls.CurveP521}}, "handshake failure"},
		{"a client that does not trust the CA", oneWay, "", &tls.Config{RootCAs: theirs.Pool()}, "unknown authority"},
		{"certificate and token", twoWay, "secret", &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{metacontroller}}, "200"},
		{"no certificate", twoWay, "secret", &tls.Config{RootCAs: ours.Pool()}, "401"},
		{"no token", twoWay, "", &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{metacontroller}}, "401"},
		{"a name that is not allowed", twoWay, "secret", &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{ours.Certificate(ca.Subject{CommonName: "other"})}}, "403"},
		{"an allowed name from another CA", twoWay, "secret", &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{theirs.Certificate(ca.Subject{CommonName: "metacontroller"})}}, "401"},
	} {
		if got := call(t, "https://"+test.address, test.token, test.client); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
	if got := call(t, "http://"+twoWay, "secret", nil); !strings.HasPrefix(got, "400") {
		t.Errorf("plain HTTP was accepted: %s", got)
	}
}

// call posts a customize request like Metacontroller and returns the status and body, or the error. The client prefers HTTP/2.
func call(t *testing.T, url, token string, config *tls.Config) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	body := `{"controller":{},"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","namespace":"b"},"spec":{"size":1}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/memcached/customize", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	if response.ProtoMajor != 1 {
		t.Errorf("%s uses %s: one connection would send all requests to one replica", url, response.Proto)
	}
	if response.StatusCode == http.StatusUnauthorized && response.Header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 needs the header WWW-Authenticate")
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return response.Status + ": " + string(content)
}

// TestSessionsAreNotResumed: a resumed session would have a certificate that no handshake has proven.
func TestSessionsAreNotResumed(t *testing.T) {
	ours, directory := ca.New(), t.TempDir()
	certificate, key := ours.Issue(ca.Subject{CommonName: "hook"})
	address := serveTLS(t, Config{Controllers: parents.Controllers(memcached.Config{}), TLS: TLS{
		CertFile: ca.Write(directory, "tls.crt", certificate),
		KeyFile:  ca.Write(directory, "tls.key", key),
	}})
	client := &tls.Config{RootCAs: ours.Pool(), ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	for range 2 {
		connection, err := tls.Dial("tcp", address, client)
		if err != nil {
			t.Fatal(err)
		}
		if connection.ConnectionState().DidResume {
			t.Error("a session was resumed")
		}
		// The server would send a ticket with the response.
		if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: hook\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Fatal(err)
		}
		connection.Close()
	}
}
