//go:build servers

package servers

import (
	"bytes"
	"crypto/tls"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/reach"
)

// movePort is the port without TLS of proxies with TLS.
const movePort = "11213"

// trusting returns how a client connects that has a certificate of a CA, and trusts the CA.
func trusting(issuer *ca.CA) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: issuer.Pool(), ServerName: "cache",
		Certificates: []tls.Certificate{issuer.Certificate(ca.Subject{CommonName: "client"})},
	}
}

// required requires certificates of clients.
var required = &v1alpha1.TLS{SecretName: "certificate", ClientAuth: v1alpha1.ClientAuthRequire}

// tlsArgs writes a certificate, and returns the arguments of memcached.
func tlsArgs(t testing.TB, settings *v1alpha1.TLS, issuer *ca.CA) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for the user of the process
		t.Fatal(err)
	}
	certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache"})
	for name, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key, "ca.crt": issuer.PEM()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := children.TLSArgs(&v1alpha1.MemcachedSpec{TLS: settings})
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "/etc/memcached/tls", dir)
	}
	return args
}

// startSecureProxy starts the proxy of a cache with TLS, as its pod does, with a configuration. It returns the directory of its Secret.
func startSecureProxy(t *testing.T, settings v1alpha1.TLS, config string, issuer *ca.CA) (server, corev1.PodSpec, string) {
	t.Helper()
	memcached := sample.Proxied(2)
	settings.SecretName = "certificate"
	memcached.Spec.TLS = &settings
	memcached = memcached.WithDefaults()
	template := proxy.PodTemplate(memcached, proxy.ReleaseDefaults{Library: proxy.Library, ReachImage: "operator"}, memory.Of(&memcached.Spec), moves.ParseRoutes("0-1"))
	for name := range template.Annotations {
		if strings.HasSuffix(name, "/proxy-config") {
			template.Annotations[name] = config
		}
	}
	certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache"})
	dir := mount(t, template.PodTemplateSpec, secrets{"certificate": {"tls.crt": certificate, "tls.key": key, "ca.crt": issuer.PEM()}})
	container := *template.Spec.Containers[0].DeepCopy()
	for i := range container.Command {
		container.Command[i] = strings.ReplaceAll(container.Command[i], "/etc/memcached-proxy/", "/etc/memcached/memcached-proxy/")
	}
	s := start(t, container, dir)
	t.Cleanup(func() { expectNoLuaError(t, s) })
	return s, template.Spec, dir
}

// TestProxyTLS checks that proxies accept exactly the clients that a cache without proxies accepts, and that the startup probe and the probes need
// no certificate and are not logged.
func TestProxyTLS(t *testing.T) {
	ours, stranger := ca.New(), ca.New()
	servers := addresses(startServers(t, 2))
	for _, c := range combinations() {
		if c.clientAuth == "" || c.mode != "" || c.metrics {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			s, pod, _ := startSecureProxy(t, *c.spec().TLS, phaseConfig(moves.Steady, servers, servers), ours)
			if diff := cmp.Diff(slices.Sorted(maps.Values(s.ports)), s.listening(t)); diff != "" {
				t.Errorf("the proxy must listen on the declared ports only (-want +got):\n%s", diff)
			}
			if err := c.try(s.address, nil, "", ""); err == nil {
				t.Error("the TLS port accepts connections without TLS")
			}
			c.checkClients(t, s.address, ours, stranger)
			if c.plaintext {
				c.checkLogins(t, s.ports[plaintextPort], nil)
			}
			if err := reach.Wait(t.Context(), s.ports[movePort]); err != nil {
				t.Errorf("the startup probe needs a certificate: %v", err)
			}
			probed := probedPort(t, pod.Containers[0])
			s.settle(t, s.ports[probed], ours, false)
			before := s.complaints(t)
			for range 20 {
				s.probe(t, probed)
			}
			s.settle(t, s.ports[probed], ours, false)
			if got := s.complaints(t) - before; got > 0 {
				t.Errorf("%d of 20 probes are logged:\n%s", got, s.logged(t))
			}
		})
	}
}

// TestProxyCopyWithTLS checks that the Job moves all items through a proxy that requires certificates of its clients.
func TestProxyCopyWithTLS(t *testing.T) {
	const items = 2000
	from, to := addresses(startServers(t, 2)), addresses(startServers(t, 2))
	fill(t, startProxy(t, from), items)
	s, _, _ := startSecureProxy(t, *required, phaseConfig(moves.Warming, from, to), ca.New())
	for _, source := range from {
		if err := copyItems(t.Context(), source, s.ports[movePort], 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	wantAll(t, to, items)
}

// TestProxyRotation checks that proxies load a renewed certificate and a new CA without closing a connection, and keep their certificate when they
// cannot load another.
func TestProxyRotation(t *testing.T) {
	ours, next := ca.New(), ca.New()
	servers := addresses(startServers(t, 2))
	s, pod, dir := startSecureProxy(t, *required, phaseConfig(moves.Steady, servers, servers), ours)
	connection, err := dial(s.address, trusting(ours))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	volume := filepath.Join(dir, "tls")
	pair := func(issuer *ca.CA, expired bool) map[string][]byte {
		certificate, key := issuer.Issue(ca.Subject{CommonName: "cache", DNSName: "cache", Expired: expired})
		return map[string][]byte{"tls.crt": certificate, "tls.key": key}
	}
	serves := func(reason string) string {
		if err := store(connection, "key", "value"); err != nil {
			t.Fatalf("%s: the connection from before is closed: %v", reason, err)
		}
		return serial(s.address, trusting(ours))
	}
	first := serves("at the start")
	reloader := startReloader(t, pod, dir, s)
	update(t, volume, pair(ours, false))
	reloader.waitForUse(t)
	renewed := serves("renewal")
	if renewed == first {
		t.Error("the proxy serves the certificate from before the renewal")
	}
	for reason, change := range map[string]func(){
		"a wrong key":            func() { update(t, volume, map[string][]byte{"tls.key": pair(ours, false)["tls.key"]}) },
		"an expired certificate": func() { update(t, volume, pair(ours, true)) },
		"a missing file":         func() { remove(t, filepath.Join(volume, "tls.key")) },
	} {
		change()
		if err := reloader.waitForEnd(t); err == nil {
			t.Errorf("%s: the reloader ends without an error, so no condition reports it", reason)
		}
		if got := serves(reason); got != renewed {
			t.Errorf("%s: the proxy presents %s, want the certificate %s from before", reason, got, renewed)
		}
		link(t, filepath.Join("..data", "tls.key"), filepath.Join(volume, "tls.key.new"))
		if err := os.Rename(filepath.Join(volume, "tls.key.new"), filepath.Join(volume, "tls.key")); err != nil {
			t.Fatal(err)
		}
		update(t, volume, pair(ours, false))
		reloader = startReloader(t, pod, dir, s)
		if err := reloader.waitForEnd(t); err != nil {
			t.Errorf("%s is fixed: the reloader ends with %v", reason, err)
		}
		reloader = startReloader(t, pod, dir, s)
		renewed = serves(reason + " is fixed")
	}
	update(t, volume, map[string][]byte{"ca.crt": bytes.Join([][]byte{ours.PEM(), next.PEM()}, nil)})
	reloader.waitForUse(t)
	for _, issuer := range []*ca.CA{ours, next} {
		config := trusting(ours)
		config.Certificates = nil
		if err := (combination{}).try(s.address, presents(config, issuer), "", ""); err != nil {
			t.Errorf("a client of one of two CAs is refused: %v", err)
		}
	}
	serves("two CAs")
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
