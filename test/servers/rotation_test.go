//go:build servers

package servers

import (
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// rotating returns the combinations in which memcached needs a reload after a change.
func rotating() []combination {
	return slices.DeleteFunc(combinations(), func(c combination) bool {
		return c.clientAuth == "" && c.mode != v1alpha1.AuthASCII || c.metrics || c.plaintext
	})
}

// TestRotation checks that memcached loads a new certificate and new passwords, and keeps every item. If memcached cannot load
// a Secret, it continues with the old one, and the reloader ends with an error. The reloader ends without an error after the
// Secret is fixed.
func TestRotation(t *testing.T) {
	ours := ca.New()
	client := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool(), ServerName: "cache", Certificates: []tls.Certificate{ours.Certificate(ca.Subject{CommonName: "client"})}}
	for _, c := range rotating() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel() // most of the time is the reloader's patience
			s, pod, dir := startSecure(t, c.spec(), ours)
			config := client
			if c.clientAuth == "" {
				config = nil
			}
			c.fill(t, s.address, config)
			before := serial(s.address, config)
			reloader := startReloader(t, pod, dir, s)

			newPassword := c.rotate(t, dir, ours)
			line := reloader.waitForUse(t)
			for c.clientAuth != "" && serial(s.address, config) == before { // only the password is loaded
				line = reloader.waitForUse(t)
			}
			if !strings.Contains(line, c.reports()) {
				t.Fatalf("logged %q, want %q", line, c.reports())
			}
			if c.mode == v1alpha1.AuthASCII {
				if err := c.try(s.address, config, user, password); err == nil {
					t.Error("memcached still accepts the old password")
				}
			}
			c.checkItems(t, s.address, config, newPassword)

			c.breakSecrets(t, dir)
			err := reloader.waitForEnd(t)
			if err == nil {
				t.Error("the reloader ended without an error after a wrong Secret")
			}
			t.Log(err)
			c.checkItems(t, s.address, config, newPassword)

			reloader = startReloader(t, pod, dir, s)
			newPassword = c.rotate(t, dir, ours)
			if err := reloader.waitForEnd(t); err != nil {
				t.Errorf("the reloader ended with an error after the Secret was fixed: %v", err)
			}
			c.checkItems(t, s.address, config, newPassword)

			reloader = startReloader(t, pod, dir, s)
			newPassword = c.rotate(t, dir, ours)
			reloader.waitForUse(t)
			c.checkItems(t, s.address, config, newPassword)
		})
	}
}

// rotate writes a new password and a new certificate, and returns the current password. The two are in different volumes, so
// memcached may load the password first.
func (c combination) rotate(t *testing.T, dir string, issuer *ca.CA) string {
	t.Helper()
	current := password
	if c.mode == v1alpha1.AuthASCII {
		current = fmt.Sprintf("rotated-%d", time.Now().UnixNano())
		update(t, filepath.Join(dir, "auth"), map[string][]byte{"passwords": []byte(user + ":" + current + "\n")})
	}
	if c.clientAuth != "" {
		certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache"})
		update(t, filepath.Join(dir, "tls"), map[string][]byte{"tls.crt": certificate, "tls.key": key})
	}
	return current
}

// breakSecrets writes a certificate that does not match the key, or an invalid password file. A memcached that loaded such a
// certificate would refuse every handshake.
func (c combination) breakSecrets(t *testing.T, dir string) {
	t.Helper()
	if c.clientAuth == "" {
		update(t, filepath.Join(dir, "auth"), map[string][]byte{"passwords": []byte("app\n")})
		return
	}
	certificate, _ := ca.New().Issue(ca.Subject{CommonName: "cache"})
	update(t, filepath.Join(dir, "tls"), map[string][]byte{"tls.crt": certificate})
}

func (c combination) reports() string {
	var reports []string
	if c.mode == v1alpha1.AuthASCII {
		reports = append(reports, "password of 1 user")
	}
	if c.clientAuth != "" {
		reports = append(reports, "certificate with the serial number ")
	}
	return strings.Join(reports, ", ")
}

// items is the number of items in the cache during a rotation.
const items = 1000

// fill stores the items over one connection.
func (c combination) fill(t *testing.T, address string, config *tls.Config) {
	t.Helper()
	connection := c.enter(t, address, config, password)
	defer connection.Close()
	for i := range items {
		key := fmt.Sprintf("item-%d", i)
		var err error
		if c.mode == v1alpha1.AuthSASL {
			err = binaryRequest(connection, opSet, key, key)
		} else {
			err = store(connection, key, key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkItems reads the items over one connection.
func (c combination) checkItems(t *testing.T, address string, config *tls.Config, password string) {
	t.Helper()
	connection := c.enter(t, address, config, password)
	defer connection.Close()
	for i := range items {
		key := fmt.Sprintf("item-%d", i)
		var err error
		if c.mode == v1alpha1.AuthSASL {
			err = binaryRequest(connection, opGet, key, "")
		} else {
			var lines []string
			if lines, err = send(connection, "mg "+key+" s"); err == nil && !strings.HasPrefix(lines[0], "HD ") {
				err = fmt.Errorf("got the response %q", lines)
			}
		}
		if err != nil {
			t.Fatalf("cannot read %s: %v", key, err)
		}
	}
}

// enter connects and logs in.
func (c combination) enter(t *testing.T, address string, config *tls.Config, password string) net.Conn {
	t.Helper()
	connection, err := dial(address, config)
	if err != nil {
		t.Fatal(err)
	}
	if err := use(connection, string(c.mode), user, password); err != nil {
		t.Fatal(err)
	}
	return connection
}

func serial(address string, config *tls.Config) string {
	connection, err := dial(address, config)
	if err != nil {
		return err.Error()
	}
	defer connection.Close()
	if secured, isTLS := connection.(*tls.Conn); isTLS {
		return secured.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	return ""
}

// TestASCIIRotation checks that both passwords of a user log in while the file has two lines: see manifests/docs/security.md.
func TestASCIIRotation(t *testing.T) {
	c := combination{mode: v1alpha1.AuthASCII}
	s, pod, dir := startSecure(t, c.spec(), ca.New())
	c.fill(t, s.address, nil)
	reloader := startReloader(t, pod, dir, s)
	both := user + ":" + password + "\n" + user + ":new\n"
	update(t, filepath.Join(dir, "auth"), map[string][]byte{"passwords": []byte(both)})
	if line := reloader.waitForUse(t); !strings.Contains(line, "passwords of 2 users") {
		t.Errorf("logged %q, want what the page shows", line)
	}
	c.checkItems(t, s.address, nil, password)
	c.checkItems(t, s.address, nil, "new")
}

// TestCARotation checks that memcached accepts clients of a new CA without a restart. It still accepts clients of the old CA,
// because memcached adds CAs and removes none: see manifests/docs/security.md.
func TestCARotation(t *testing.T) {
	ours, next := ca.New(), ca.New()
	c := combination{clientAuth: v1alpha1.ClientAuthRequire}
	s, pod, dir := startSecure(t, c.spec(), ours)
	reloader := startReloader(t, pod, dir, s)
	update(t, filepath.Join(dir, "tls"), map[string][]byte{"ca.crt": next.PEM()})
	reloader.waitForUse(t)
	client := func(issuer *ca.CA) error {
		config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool(), ServerName: "cache"}
		return c.try(s.address, presents(config, issuer), "", "")
	}
	if err := client(next); err != nil {
		t.Errorf("a client of the new CA is refused: %v", err)
	}
	if err := client(ours); err != nil {
		t.Errorf("a client of the old CA is refused, but the guide documents otherwise: %v", err)
	}
	if err := client(ca.New()); err == nil {
		t.Error("a client of an unknown CA is accepted")
	}
}
