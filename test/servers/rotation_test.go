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

// rotating are the caches whose memcached has to be told of a change.
func rotating() []combination {
	return slices.DeleteFunc(combinations(), func(c combination) bool {
		return c.clientAuth == "" && c.mode != v1alpha1.AuthASCII || c.metrics || c.plaintext
	})
}

// TestRotation: a full cache accepts a new certificate and new passwords, and keeps every item. What it cannot accept is
// reported by one end of the reloader and withdrawn by another; meanwhile it serves with what it has.
func TestRotation(t *testing.T) {
	ours := ca.New()
	client := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool(), ServerName: "cache", Certificates: []tls.Certificate{ours.Certificate(ca.Subject{CommonName: "client"})}}
	for _, c := range rotating() {
		t.Run(c.String(), func(t *testing.T) {
			s, pod, folder := startSecure(t, c.spec(), ours)
			config := client
			if c.clientAuth == "" {
				config = nil
			}
			c.fill(t, s.address, config)
			before := serial(s.address, config)
			reloader := startReloader(t, pod, folder, s)

			newPassword := c.rotate(t, folder, ours)
			if line := reloader.waitForUse(t); !strings.Contains(line, c.reports()) {
				t.Fatalf("logged %q, want %q", line, c.reports())
			}
			if c.clientAuth != "" && serial(s.address, config) == before {
				t.Error("the old certificate is served")
			}
			if c.mode == v1alpha1.AuthASCII {
				if err := c.try(s.address, config, user, password); err == nil {
					t.Error("the old password lets in")
				}
			}
			c.checkItems(t, s.address, config, newPassword)

			c.breakSecrets(t, folder)
			err := reloader.waitForEnd(t)
			if err == nil {
				t.Error("a change that memcached cannot accept is not reported")
			}
			t.Log(err)
			c.checkItems(t, s.address, config, newPassword)

			reloader = startReloader(t, pod, folder, s)
			newPassword = c.rotate(t, folder, ours)
			if err := reloader.waitForEnd(t); err != nil {
				t.Errorf("the end that withdraws the report has an error: %v", err)
			}
			c.checkItems(t, s.address, config, newPassword)

			reloader = startReloader(t, pod, folder, s)
			newPassword = c.rotate(t, folder, ours)
			reloader.waitForUse(t)
			c.checkItems(t, s.address, config, newPassword)
		})
	}
}

// rotate puts another certificate and another password in place, and returns that password. The certificate comes last:
// until then it does not match its key, and memcached does not accept what the files hold.
func (c combination) rotate(t *testing.T, folder string, issuer *ca.CA) string {
	t.Helper()
	certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache"})
	if c.clientAuth != "" {
		writeFile(t, filepath.Join(folder, "tls", "tls.key"), key)
	}
	current := password
	if c.mode == v1alpha1.AuthASCII {
		current = fmt.Sprintf("rotated-%d", time.Now().UnixNano())
		writeFile(t, filepath.Join(folder, "auth", "passwords"), []byte(user+":"+current+"\n"))
	}
	if c.clientAuth != "" {
		writeFile(t, filepath.Join(folder, "tls", "tls.crt"), certificate)
	}
	return current
}

// breakSecrets leaves a certificate that is not the key's, or passwords that are none. A memcached that loaded such a
// certificate would refuse every handshake from then on.
func (c combination) breakSecrets(t *testing.T, folder string) {
	t.Helper()
	if c.clientAuth == "" {
		writeFile(t, filepath.Join(folder, "auth", "passwords"), []byte("app\n"))
		return
	}
	certificate, _ := ca.New().Issue(ca.Subject{CommonName: "cache"})
	writeFile(t, filepath.Join(folder, "tls", "tls.crt"), certificate)
}

func (c combination) reports() string {
	var reports []string
	if c.mode == v1alpha1.AuthASCII {
		reports = append(reports, "passwords of 1 users")
	}
	if c.clientAuth != "" {
		reports = append(reports, "certificate with the serial number ")
	}
	return strings.Join(reports, ", ")
}

// items is how many a cache holds during a rotation.
const items = 1000

// fill stores items, and checkItems reads them again, over one connection.
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
			if lines, err = ask(connection, "mg "+key+" s"); err == nil && !strings.HasPrefix(lines[0], "HD ") {
				err = fmt.Errorf("answered %q", lines)
			}
		}
		if err != nil {
			t.Fatalf("%s is gone: %v", key, err)
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

// TestAuthorityRotation: clients of a new authority get in without a restart. Those of the old one still do as well, for
// memcached adds authorities and forgets none: crds/memcached/README.md says so, and what to do about it.
func TestAuthorityRotation(t *testing.T) {
	ours, next := ca.New(), ca.New()
	c := combination{clientAuth: v1alpha1.ClientAuthRequire}
	s, pod, folder := startSecure(t, c.spec(), ours)
	reloader := startReloader(t, pod, folder, s)
	writeFile(t, filepath.Join(folder, "tls", "ca.crt"), next.PEM())
	reloader.waitForUse(t)
	client := func(issuer *ca.CA) error {
		config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool(), ServerName: "cache"}
		return c.try(s.address, presents(config, issuer), "", "")
	}
	if err := client(next); err != nil {
		t.Errorf("a client of the new authority: %v", err)
	}
	if err := client(ours); err != nil {
		t.Errorf("a client of the old authority is refused, and README says otherwise: %v", err)
	}
	if err := client(ca.New()); err == nil {
		t.Error("a client of no authority gets in")
	}
}
