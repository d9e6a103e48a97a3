package reloader

import (
	"bytes"
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
	authorityFile   = "ca.crt"

	// timeout bounds one exchange with memcached, which is next door.
	timeout = 5 * time.Second
)

func (c *Config) files() []string {
	var files []string
	if c.TLSFolder != "" {
		for _, name := range []string{certificateFile, keyFile, authorityFile} {
			files = append(files, filepath.Join(c.TLSFolder, name))
		}
	}
	if c.PasswordFile != "" {
		files = append(files, c.PasswordFile)
	}
	return files
}

// applyCertificate makes memcached load its certificates again and compares the one that it serves then with the file.
//
// memcached replaces the certificate that it serves before it checks the key and the CA. With files that do not belong
// together no handshake succeeds any more, so it must not load them. After such a failure it presents no certificate until
// it loads good files, so nothing here depends on what it served before.
//
// https://github.com/memcached/memcached/blob/1.6.45/tls.c, load_server_certificates
func (c *Config) applyCertificate() (string, error) {
	wanted, err := c.checkedCertificate()
	if err != nil {
		if before, unknown := servedAt(c.Serves); unknown == nil {
			err = fmt.Errorf("%w; memcached keeps the %s", err, describe(before))
		}
		return "", err
	}
	if err := c.refreshCertificates(); err != nil {
		return "", err
	}
	served, err := servedAt(c.Serves)
	if err != nil {
		return "", err
	}
	if !served.Equal(wanted) {
		return "", fmt.Errorf("memcached keeps the %s, but %s has the %s", describe(served), certificateFile, describe(wanted))
	}
	return describe(served), nil
}

// checkedCertificate returns the certificate of the files. An error says that the files do not belong together.
func (c *Config) checkedCertificate() (*x509.Certificate, error) {
	wanted, err := certificateIn(filepath.Join(c.TLSFolder, certificateFile))
	if err != nil {
		return nil, err
	}
	if _, err := tls.LoadX509KeyPair(filepath.Join(c.TLSFolder, certificateFile), filepath.Join(c.TLSFolder, keyFile)); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", certificateFile, keyFile, err)
	}
	authorities, err := os.ReadFile(filepath.Join(c.TLSFolder, authorityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return wanted, nil
	}
	if err != nil {
		return nil, err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", authorityFile)
	}
	return wanted, nil
}

// refreshCertificates asks for it by a command, which memcached knows from 1.5.13 on. SIGHUP would do from 1.6.40 on.
func (c *Config) refreshCertificates() error {
	connection, err := net.DialTimeout("tcp", c.Commands, timeout)
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
	answer, err := command(connection, "refresh_certs")
	if err != nil {
		return err
	}
	if answer != "OK" {
		return fmt.Errorf("memcached does not load the files: %q", answer)
	}
	return nil
}

// certificateIn reads the first certificate of a file, which is the one that a server presents as its own.
func certificateIn(file string) (*x509.Certificate, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for {
		block, rest := pem.Decode(content)
		if block == nil {
			return nil, fmt.Errorf("%s holds no certificate in PEM", filepath.Base(file))
		}
		if block.Type == "CERTIFICATE" {
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			return certificate, nil
		}
		content = rest
	}
}

// servedAt returns the certificate that a server presents. It is seen before the server asks for the client's, so it is no
// matter that there is none to show.
func servedAt(address string) (*x509.Certificate, error) {
	var served *x509.Certificate
	dialer := &net.Dialer{Timeout: timeout, Deadline: time.Now().Add(timeout)}
	connection, err := tls.DialWithDialer(dialer, "tcp", address, &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // it is compared with the one that it should be
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			certificate, err := x509.ParseCertificate(bytes.Clone(raw[0]))
			served = certificate
			return err
		},
	})
	if err == nil {
		connection.Close()
	}
	if served != nil {
		return served, nil
	}
	if err == nil {
		err = errors.New("it presents no certificate")
	}
	return nil, fmt.Errorf("asking %s for its certificate: %w", address, err)
}

// describe names a certificate by what people compare: openssl x509 -noout -serial -enddate says the same.
func describe(certificate *x509.Certificate) string {
	return fmt.Sprintf("certificate with the serial number %X, valid until %s", certificate.SerialNumber, certificate.NotAfter.UTC().Format(time.RFC3339))
}
