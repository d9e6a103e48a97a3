package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
)

// TLS says how the hooks are served over TLS; with the zero value they are not.
type TLS struct {
	// CertFile and KeyFile hold the server's certificate chain and its key in PEM.
	CertFile, KeyFile string
	// ClientCAFile holds the authorities of the callers' certificates in PEM; if it is empty callers need none.
	ClientCAFile string
	// ClientNames are the DNS names, URIs or common names of the callers that are let in; with none every caller with
	// a certificate of the authorities is.
	ClientNames []string
	// MinVersion is the least version of the protocol, as in crypto/tls; 0 is TLS 1.3.
	MinVersion uint16
}

// serverConfig reads the files. A connection gets what they hold when it comes; those that are open stay as they are,
// so a rotation interrupts nobody.
func (t TLS) serverConfig(logger *slog.Logger) (*tls.Config, error) {
	files := []string{t.CertFile, t.KeyFile}
	if t.ClientCAFile != "" {
		files = append(files, t.ClientCAFile)
	}
	current, err := newReloaded(logger, t.read, files...)
	if err != nil {
		return nil, err
	}
	config := current.get().Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return current.get(), nil }
	return config, nil
}

func (t TLS) read() (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the TLS certificate: %w", err)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   max(t.MinVersion, tls.VersionTLS12),
		// HTTP/2 would put all of Metacontroller's requests on one connection, and so on one replica.
		NextProtos: []string{"http/1.1"},
		// A session that is resumed would outlive the authority that vouched for it.
		SessionTicketsDisabled: true,
	}
	if t.MinVersion == 0 {
		config.MinVersion = tls.VersionTLS13
	}
	if t.ClientCAFile == "" {
		return config, nil
	}
	authorities, err := os.ReadFile(t.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the authorities of clients: %w", err)
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("reading the authorities of clients: %s holds no certificate", t.ClientCAFile)
	}
	// A caller without a certificate gets in this far, to be told by a sentence instead of an alert.
	config.ClientAuth = tls.VerifyClientCertIfGiven
	return config, nil
}
