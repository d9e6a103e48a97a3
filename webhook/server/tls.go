package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
)

// TLS configures TLS for the hooks. The zero value disables TLS.
type TLS struct {
	// CertFile and KeyFile contain the server's certificate chain and private key in PEM.
	CertFile, KeyFile string
	// ClientCAFile contains the CA bundle of the callers' certificates in PEM. If it is empty, callers need no certificate.
	ClientCAFile string
	// ClientNames are the DNS names, URIs or common names of allowed callers. If it is empty, every verified certificate is
	// accepted.
	ClientNames []string
}

// serverConfig returns a configuration that follows changes of the files. A new connection uses the current files; open
// connections remain as they are, so a rotation interrupts no request.
func (t TLS) serverConfig(logger *slog.Logger) (*tls.Config, error) {
	configs, err := loadCredentials(logger, t.read, t.CertFile, t.KeyFile)
	if err != nil {
		return nil, err
	}
	config := configs.current().Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return configs.current(), nil }
	return config, nil
}

func (t TLS) read() (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the TLS certificate: %w", err)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   tls.VersionTLS13,
		// Other curves take more CPU time, which strangers could use up.
		CurvePreferences: []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256},
		// With HTTP/2, Metacontroller would send all requests over one connection, and so to one replica.
		NextProtos: []string{"http/1.1"},
		// A resumed session would have the certificate of a caller from memory.
		SessionTicketsDisabled: true,
	}
	if t.ClientCAFile != "" {
		config.ClientAuth = tls.RequestClientCert // the authorizer verifies it
	}
	return config, nil
}

func (t TLS) readClientCAs() (*x509.CertPool, error) {
	bundle, err := os.ReadFile(t.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the client CA bundle: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bundle) {
		return nil, fmt.Errorf("reading the client CA bundle: %s contains no certificate", t.ClientCAFile)
	}
	return pool, nil
}
