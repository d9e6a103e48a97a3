// Package authority issues certificates to tests. It panics when it cannot: no test goes on without them.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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

// Authority signs certificates that hold for an hour.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// New returns an authority that nobody trusts yet.
func New() *Authority {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := newTemplate("authority")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	return &Authority{certificate: must(x509.ParseCertificate(der)), key: key}
}

// Pool returns what trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// PEM is the authority's own certificate.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Subject is who a certificate is for.
type Subject struct {
	CommonName, DNSName, URI string
}

// Issue returns a new certificate and its key in PEM, for a client or a server on loopback.
func (a *Authority) Issue(subject Subject) (certificate, key []byte) {
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
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := must(x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key))
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(private))})
	return certificate, key
}

// Certificate returns a new certificate for a client or server of the test's own.
func (a *Authority) Certificate(subject Subject) tls.Certificate {
	return must(tls.X509KeyPair(a.Issue(subject)))
}

// Write puts a file in place of another at once, as a Secret's volume does, and returns its name.
func Write(folder, name string, content []byte) string {
	file := filepath.Join(folder, name)
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
