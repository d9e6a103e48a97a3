package reloader

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	certificateFile = "tls.crt"
	keyFile         = "tls.key"
	caFile          = "ca.crt"

	// timeout limits one request to memcached, which runs in the same pod.
	timeout = 5 * time.Second
)

func (c *Config) files() []string {
	var files []string
	if c.TLSDirectory != "" {
		for _, name := range []string{certificateFile, keyFile, caFile} {
			files = append(files, filepath.Join(c.TLSDirectory, name))
		}
	}
	if c.PasswordFile != "" {
		files = append(files, c.PasswordFile)
	}
	return files
}

// loadableCertificate returns the certificate of the files, or an error that names the one that memcached keeps.
//
// OpenSSL keeps a certificate for each kind of key, so the old one stays in use beside a new one of another kind. A client can cause this, too, with
// refresh_certs.
//
// memcached replaces the served certificate before it checks the key and the CA. After it has loaded files that do not
// match, it presents no certificate, and every handshake fails until it loads valid files. So invalid files are never
// loaded, and the result does not depend on what memcached served before.
//
// https://github.com/memcached/memcached/blob/1.6.45/tls.c, load_server_certificates
func (c *Config) loadableCertificate() (*x509.Certificate, error) {
	want, invalid := c.validCertificate()
	served, err := servedAt(c.TLSAddress)
	if err != nil {
		return nil, cmp.Or(invalid, err)
	}
	for _, each := range served {
		if invalid == nil && each.PublicKeyAlgorithm != want.PublicKeyAlgorithm {
			invalid = fmt.Errorf("%s has an %s key in place of an %s key, which requires a restart", certificateFile, want.PublicKeyAlgorithm, each.PublicKeyAlgorithm)
			served = []*x509.Certificate{each}
		}
	}
	if invalid != nil && len(served) > 0 {
		return nil, fmt.Errorf("%w; memcached keeps using the %s", invalid, describe(served[0]))
	}
	return want, invalid
}

// reloadCertificate makes memcached load its certificate, and compares each certificate that memcached then serves with the
// wanted one of the files.
func (c *Config) reloadCertificate(want *x509.Certificate) (string, error) {
	if err := c.sendRefresh(); err != nil {
		return "", err
	}
	served, err := servedAt(c.TLSAddress)
	if err != nil {
		return "", err
	}
	if len(served) == 0 {
		return "", errors.New("memcached presents no certificate")
	}
	for _, each := range served {
		if !each.Equal(want) {
			return "", fmt.Errorf("memcached keeps using the %s, but %s has the %s", describe(each), certificateFile, describe(want))
		}
	}
	return describe(want), nil
}

// validCertificate returns the certificate of the files, or an error when the files are invalid, do not match, or have expired: memcached
// would serve an expired certificate.
func (c *Config) validCertificate() (*x509.Certificate, error) {
	chain, err := certificatesIn(filepath.Join(c.TLSDirectory, certificateFile))
	if err != nil {
		return nil, err
	}
	for _, certificate := range chain {
		if err := checkStrength(certificate); err != nil {
			return nil, fmt.Errorf("%s: %w", certificateFile, err)
		}
	}
	certificate := chain[0]
	if _, err := tls.LoadX509KeyPair(filepath.Join(c.TLSDirectory, certificateFile), filepath.Join(c.TLSDirectory, keyFile)); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", certificateFile, keyFile, err)
	}
	if now := time.Now(); now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return nil, fmt.Errorf("%s is valid only from %s to %s", certificateFile, certificate.NotBefore.UTC().Format(time.RFC3339), certificate.NotAfter.UTC().Format(time.RFC3339))
	}
	if _, err := certificatesIn(filepath.Join(c.TLSDirectory, caFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return certificate, nil
}

// sendRefresh sends the command refresh_certs, which memcached supports since 1.5.13. Since 1.6.40 SIGHUP has the same
// effect.
func (c *Config) sendRefresh() error {
	connection, err := c.connect()
	if err != nil {
		return err
	}
	defer connection.Close()
	if c.PasswordFile != "" {
		users, err := usersIn(c.PasswordFile)
		if err != nil {
			return err
		}
		if err := logIn(connection, users[0]); err != nil {
			return err
		}
	}
	response, err := connection.Command("refresh_certs")
	if err != nil {
		return err
	}
	if string(response) != "OK" {
		return fmt.Errorf("memcached cannot load the files: %.200q", response)
	}
	return nil
}

// certificatesIn returns the certificates of a file; the first one of tls.crt is what a server presents as its own. It refuses what OpenSSL cannot load:
// a block that is damaged, also after others, and in a chain, keys and signatures that are too weak for some of its builds.
//
// https://docs.openssl.org/3.5/man3/SSL_CTX_set_security_level/
func certificatesIn(file string) (certificates []*x509.Certificate, err error) {
	name := filepath.Base(file)
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	blocks := bytes.Count(append([]byte("\n"), content...), []byte("\n-----BEGIN "))
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		blocks--
		switch {
		case block.Type == "X509 CERTIFICATE", block.Type == "TRUSTED CERTIFICATE", len(block.Headers) > 0: // OpenSSL reads them in another way than Go
			return nil, fmt.Errorf("%s contains a block of PEM that is not supported: %.40q", name, block.Type)
		case block.Type != "CERTIFICATE":
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s, certificate %d: %w", name, len(certificates)+1, err)
		}
		certificates = append(certificates, certificate)
	}
	switch {
	case blocks > 0:
		return nil, fmt.Errorf("%s contains a damaged block of PEM", name)
	case len(certificates) == 0:
		return nil, fmt.Errorf("%s does not contain a certificate in PEM", name)
	}
	return certificates, nil
}

// minRSABits is the size of the smallest key that OpenSSL's security level 2 accepts.
const minRSABits = 2048

// checkStrength returns an error for a certificate that memcached refuses to present, alone or in a chain.
func checkStrength(certificate *x509.Certificate) error {
	switch key := certificate.PublicKey.(type) {
	case *rsa.PublicKey:
		if key.N.BitLen() < minRSABits {
			return fmt.Errorf("the RSA key of %.200q has %d bits, at least %d are needed", certificate.Subject, key.N.BitLen(), minRSABits)
		}
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P224() { // memcached loads it, but no client has a signature for it
			return fmt.Errorf("the ECDSA key of %.200q is on the curve P-224, at least P-256 is needed", certificate.Subject)
		}
	}
	switch certificate.SignatureAlgorithm {
	case x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1:
		if !bytes.Equal(certificate.RawIssuer, certificate.RawSubject) { // OpenSSL does not check the signature of a root
			return fmt.Errorf("%.200q is signed with %s, which is too weak", certificate.Subject, certificate.SignatureAlgorithm)
		}
	}
	return nil
}

// servedAt returns the certificates that a server presents: to any client, and to clients that accept only one kind of key, which only the cipher suites
// of TLS 1.2 can say. It returns none if the server has none.
func servedAt(address string) (served []*x509.Certificate, err error) {
	for _, suites := range [][]uint16{nil, {tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}, {tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}} {
		certificate, err := certificateAt(address, suites)
		alert, failed := errors.AsType[*net.OpError](err)
		switch {
		case err == nil:
			served = append(served, certificate)
		case !failed || alert.Op != "remote error": // an alert of TLS means that the server has no such key
			return nil, err
		}
	}
	return served, nil
}

// certificateAt returns the certificate that a server presents. The server presents it before it requests a client certificate,
// so none is needed.
func certificateAt(address string, suites []uint16) (*x509.Certificate, error) {
	version := uint16(tls.VersionTLS13)
	if suites != nil {
		version = tls.VersionTLS12
	}
	var served *x509.Certificate
	dialer := &net.Dialer{Timeout: timeout, Deadline: time.Now().Add(timeout)}
	connection, err := tls.DialWithDialer(dialer, "tcp", address, &tls.Config{
		MinVersion:         tls.VersionTLS12,
		MaxVersion:         version,
		CipherSuites:       suites,
		InsecureSkipVerify: true, // the caller compares the certificate with the file
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			certificate, err := x509.ParseCertificate(bytes.Clone(raw[0]))
			served = certificate
			return err
		},
	})
	if err == nil {
		connection.Close()
	}
	if served == nil {
		return nil, fmt.Errorf("reading the certificate that %s presents: %w", address, err)
	}
	return served, nil
}

// describe returns the serial number and the end of a certificate, as openssl x509 -noout -serial -enddate prints them.
func describe(certificate *x509.Certificate) string {
	return fmt.Sprintf("certificate with the serial number %X, valid until %s", certificate.SerialNumber, certificate.NotAfter.UTC().Format(time.RFC3339))
}
