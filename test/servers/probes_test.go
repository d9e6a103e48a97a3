//go:build servers

package servers

import (
	"crypto/tls"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProbesAreNotLogged checks that only probes of a TLS port are logged and that only these probes are rare. memcached logs
// each connection that closes before the TLS handshake, at any verbosity.
func TestProbesAreNotLogged(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		logged bool
	}{
		{"no TLS", v1alpha1.MemcachedSpec{}, false},
		{"a port with TLS and a port without TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate", Plaintext: v1alpha1.PlaintextEnabled}}, false},
		{"TLS only", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}}, true},
		{"TLS only, without a log", v1alpha1.MemcachedSpec{
			TLS:   &v1alpha1.TLS{SecretName: "certificate"},
			Cache: v1alpha1.Cache{Verbosity: new(int32(0))},
		}, true},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.Size = new(int32(1))
			ours := ca.New()
			s, pod, _ := startSecure(t, test.spec, ours)
			container := pod.Containers[0]
			probed := probedPort(t, container)
			s.settle(t, s.address, ours, test.spec.TLS != nil) // start has connected to all ports
			before := s.complaints(t)
			deadline := time.Now().Add(10 * time.Second)
			for i := 0; i < 20 || test.logged && s.complaints(t) == before && time.Now().Before(deadline); i++ {
				s.probe(t, probed) // the log line depends on a race between the close and the handshake
			}
			s.settle(t, s.ports[probed], ours, test.logged)
			if got := s.complaints(t) - before; (got > 0) != test.logged {
				t.Errorf("the probes are logged %d times, want logged %t: %s", got, test.logged, s.logged(t))
			}
			if rare := container.ReadinessProbe.PeriodSeconds >= 30 && container.LivenessProbe.PeriodSeconds >= 30; rare != test.logged {
				t.Errorf("the probes are rare: %t, but logged: %t", rare, test.logged)
			}
		})
	}
}

// probedPort returns the number of the port that both probes of a container use.
func probedPort(t *testing.T, container corev1.Container) string {
	t.Helper()
	for _, port := range container.Ports {
		if port.Name == container.ReadinessProbe.TCPSocket.Port.String() && port.Name == container.LivenessProbe.TCPSocket.Port.String() {
			return strconv.Itoa(int(port.ContainerPort))
		}
	}
	t.Fatalf("the probes do not use the same port of the container: %v", container.Ports)
	return ""
}

// probe connects and closes the connection, as the kubelet does.
func (s server) probe(t *testing.T, port string) {
	t.Helper()
	connection, err := net.Dial("tcp", s.ports[port])
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
}

// settle returns after the server has accepted all earlier connections to an address, because it accepts them in order.
func (s server) settle(t *testing.T, address string, issuer *ca.CA, secured bool) {
	t.Helper()
	var config *tls.Config
	if secured {
		config = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: issuer.Pool(), ServerName: "cache"}
	}
	connection, err := dial(address, config)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := send(connection, "version"); err != nil {
		t.Fatal(err)
	}
}

// complaints returns the number of log lines about connections that closed before the handshake.
func (s server) complaints(t *testing.T) int {
	t.Helper()
	return strings.Count(s.logged(t), "Resource temporarily unavailable")
}
