// Package ca issues certificates for tests. It panics on errors, because no test can continue without a certificate.
package ca

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// CA signs certificates that are valid for one hour.
type CA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// New returns a CA with a new key.
func New() *CA {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := newTemplate("test CA")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	return &CA{certificate: must(x509.ParseCertificate(der)), key: key}
}

// Pool returns a certificate pool that trusts only this CA.
func (c *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(c.certificate)
	return pool
}

// PEM returns the certificate of the CA.
func (c *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Raw})
}

// Subject has the names in a certificate.
type Subject struct {
	CommonName, DNSName, URI string
	// Expired makes the certificate invalid since a minute ago.
	Expired bool
	// RSA makes the key an RSA one instead of ECDSA.
	RSA bool
}

// Issue returns a new certificate and its key in PEM. Clients and servers on loopback can use them.
func (c *CA) Issue(subject Subject) (certificate, key []byte) {
	template := newTemplate(subject.CommonName)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	if subject.DNSName != "" {
		template.DNSNames = []string{subject.DNSName}
	}
	if subject.URI != "" {
		template.URIs = []*url.URL{must(url.Parse(subject.URI))}
	}
	if subject.Expired {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
	}
	var private crypto.Signer = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	if subject.RSA {
		private = must(rsa.GenerateKey(rand.Reader, 2048))
	}
	der := must(x509.CreateCertificate(rand.Reader, template, c.certificate, private.Public(), c.key))
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(private))})
	return certificate, key
}

// Certificate returns a new certificate for a client or server in the process of the test.
func (c *CA) Certificate(subject Subject) tls.Certificate {
	return must(tls.X509KeyPair(c.Issue(subject)))
}

// Write replaces a file atomically, as a Secret volume does, and returns its path.
func Write(dir, name string, content []byte) string {
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		panic(err)
	}
	return file
}

func newTemplate(commonName string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))),
		Subject:      pkix.Name{CommonName: commonName},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
