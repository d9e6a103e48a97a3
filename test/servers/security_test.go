//go:build servers

package servers

import (
	"crypto/tls"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	plaintextPort = "11212"
	loopbackPort  = "11213"
)

// combination is a combination of spec.tls, spec.auth and spec.metrics.
type combination struct {
	clientAuth v1alpha1.ClientAuth // "" without TLS
	plaintext  bool
	mode       v1alpha1.AuthMode // "" without authentication
	metrics    bool
}

func combinations() []combination {
	var all []combination
	for _, mode := range []v1alpha1.AuthMode{"", v1alpha1.AuthSASL, v1alpha1.AuthASCII} {
		for _, metrics := range []bool{false, true} {
			all = append(all, combination{mode: mode, metrics: metrics})
			for _, clientAuth := range []v1alpha1.ClientAuth{v1alpha1.ClientAuthNone, v1alpha1.ClientAuthRequest, v1alpha1.ClientAuthRequire} {
				all = append(all, combination{clientAuth, false, mode, metrics}, combination{clientAuth, true, mode, metrics})
			}
		}
	}
	return all
}

func (c combination) String() string {
	name := "plain"
	if c.clientAuth != "" {
		name = "TLS " + string(c.clientAuth)
	}
	if c.plaintext {
		name += " and plaintext"
	}
	if c.mode != "" {
		name += " " + string(c.mode)
	}
	if c.metrics {
		name += " with metrics"
	}
	return name
}

func (c combination) spec() v1alpha1.MemcachedSpec {
	spec := v1alpha1.MemcachedSpec{Size: new(int32(1)), Metrics: v1alpha1.Metrics{Enabled: c.metrics}}
	if c.clientAuth != "" {
		spec.TLS = &v1alpha1.TLS{SecretName: "certificate", ClientAuth: c.clientAuth}
		if c.plaintext {
			spec.TLS.Plaintext = v1alpha1.PlaintextEnabled
		}
	}
	if c.mode != "" {
		spec.Auth = &v1alpha1.Auth{SecretName: "users", Mode: c.mode}
	}
	return spec
}

// startSecure starts the memcached of a spec with the Secrets that the spec names. It returns the directory of the Secrets.
func startSecure(t *testing.T, spec v1alpha1.MemcachedSpec, issuer *ca.CA) (server, corev1.PodSpec, string) {
	t.Helper()
	certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache"})
	pod := pod(t, spec)
	all := secrets{}
	if spec.TLS != nil {
		all[spec.TLS.SecretName] = map[string][]byte{"tls.crt": certificate, "tls.key": key, "ca.crt": issuer.PEM()}
	}
	if spec.Auth != nil {
		all[spec.Auth.SecretName] = map[string][]byte{"passwords": []byte("other@shop:x\n" + user + ":" + password + "\n")}
	}
	dir := mount(t, pod, all)
	return start(t, pod.Spec.Containers[0], dir), pod.Spec, dir
}

// TestSecurity checks that a real memcached accepts exactly the clients that the spec allows, on exactly the declared ports.
func TestSecurity(t *testing.T) {
	ours, stranger := ca.New(), ca.New()
	for _, c := range combinations() {
		t.Run(c.String(), func(t *testing.T) {
			s, pod, _ := startSecure(t, c.spec(), ours)
			c.checkListeners(t, s)
			c.checkMetrics(t, pod, s)
			if loopback := s.ports[loopbackPort]; loopback != "" {
				c.checkLoopback(t, loopback)
			}
			if c.clientAuth == "" {
				c.checkLogins(t, s.address, nil)
				return
			}
			if err := c.try(s.address, nil, user, password); err == nil {
				t.Error("the TLS port accepts connections without TLS")
			}
			c.checkClients(t, s.address, ours, stranger)
			if c.plaintext {
				c.checkLogins(t, s.ports[plaintextPort], nil)
			}
		})
	}
}

// checkClients connects with no certificate, with a certificate of the CA, and with a certificate of another CA.
func (c combination) checkClients(t *testing.T, address string, ours, stranger *ca.CA) {
	t.Helper()
	trusting := func(certificates ...tls.Certificate) *tls.Config {
		return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool(), ServerName: "cache", Certificates: certificates}
	}
	known := trusting(ours.Certificate(ca.Subject{CommonName: "client"}))
	c.checkLogins(t, address, known)
	cases := []struct {
		reason   string
		config   *tls.Config
		accepted bool
	}{
		{"no certificate", trusting(), c.clientAuth != v1alpha1.ClientAuthRequire},
		{"a certificate of another CA", presents(trusting(), stranger), c.clientAuth == v1alpha1.ClientAuthNone},
	}
	for _, test := range cases {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			test.config.MaxVersion = version
			if err := c.try(address, test.config, user, password); (err == nil) != test.accepted {
				t.Errorf("a client with %s over %s: accepted is %t, want %t: %v", test.reason, tls.VersionName(version), err == nil, test.accepted, err)
			}
		}
	}
	old := known.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if err := c.try(address, old, user, password); err == nil {
		t.Error("TLS 1.1, which is insecure, is accepted")
	}
}

// presents makes a client present a certificate of a CA even if the server does not name this CA.
func presents(config *tls.Config, issuer *ca.CA) *tls.Config {
	certificate := issuer.Certificate(ca.Subject{CommonName: "client"})
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	return config
}

// checkLogins logs in on a port with valid and invalid users and passwords.
func (c combination) checkLogins(t *testing.T, address string, config *tls.Config) {
	t.Helper()
	cases := []struct {
		reason, user, password string
		accepted               bool
	}{
		{"no login", "", "", c.mode == ""},
		{"the right password", user, password, true},
		{"a wrong password", user, wrong, c.mode == ""},
		{"an empty password", user, "", c.mode == ""},
		{"the password of another user", "other@shop", password, c.mode == ""},
		{"an unknown user", "nobody@shop", password, c.mode == ""},
	}
	for _, test := range cases {
		if err := c.try(address, config, test.user, test.password); (err == nil) != test.accepted {
			t.Errorf("%s, on %s: accepted is %t, want %t: %v", test.reason, address, err == nil, test.accepted, err)
		}
	}
	if c.mode != v1alpha1.AuthSASL {
		return
	}
	connection, err := dial(address, config)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := binaryRequest(connection, opSASL, "ANONYMOUS", "me"); err == nil {
		t.Error("SASL accepts anonymous users")
	}
}

// try connects and uses the cache.
func (c combination) try(address string, config *tls.Config, user, password string) error {
	connection, err := dial(address, config)
	if err != nil {
		return err
	}
	defer connection.Close()
	return use(connection, string(c.mode), user, password)
}

// checkLoopback reads stats as the other containers of the pod do. In ASCII mode they must log in.
func (c combination) checkLoopback(t *testing.T, address string) {
	t.Helper()
	connection, err := dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if c.mode == v1alpha1.AuthASCII {
		if err := store(connection, "login", user+" "+password); err != nil {
			t.Fatal(err)
		}
	}
	if lines, err := send(connection, "stats"); err != nil || len(lines) < 50 {
		t.Errorf("stats on loopback: %v, %d lines", err, len(lines))
	}
}
