package memcached

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestProbes: memcached logs a line for each probe of a port with TLS, and restarts after a minute at any of them.
func TestProbes(t *testing.T) {
	cases := []struct {
		reason    string
		spec      Spec
		port      string
		perMinute int32
	}{
		{"without TLS nothing is logged", Spec{}, "memcached", 18},
		{"a password needs no handshake", Spec{Auth: &Auth{Mode: AuthASCII}}, "memcached", 18},
		{"with TLS only, each probe is logged", Spec{TLS: &TLS{}}, "memcached", 4},
		{"with TLS and client certificates too", Spec{TLS: &TLS{ClientAuth: ClientAuthRequire}}, "memcached", 4},
		{"the port without TLS logs nothing", Spec{TLS: &TLS{Plaintext: PlaintextEnabled}}, "plaintext", 18},
	}
	for _, test := range cases {
		container := container(&test.spec)
		perMinute := int32(0)
		for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.LivenessProbe} {
			perMinute += 60 / probe.PeriodSeconds
			if port := probe.TCPSocket.Port.String(); port != test.port {
				t.Errorf("%s: a probe of port %s, want %s", test.reason, port, test.port)
			}
		}
		if perMinute != test.perMinute {
			t.Errorf("%s: %d probes a minute, want %d", test.reason, perMinute, test.perMinute)
		}
		if seconds := container.LivenessProbe.PeriodSeconds * container.LivenessProbe.FailureThreshold; seconds != 60 {
			t.Errorf("%s: restarted after %d s", test.reason, seconds)
		}
		if slow := container.ReadinessProbe.PeriodSeconds > 5; slow != (container.StartupProbe != nil) {
			t.Errorf("%s: a pod must not wait for its first readiness probe", test.reason)
		}
	}
}
