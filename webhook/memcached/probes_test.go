package memcached

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProbes: memcached logs a line for each probe of a port with TLS, and restarts after a minute at any of them.
func TestProbes(t *testing.T) {
	cases := []struct {
		reason    string
		spec      v1alpha1.MemcachedSpec
		port      string
		perMinute int32
	}{
		{"without TLS nothing is logged", v1alpha1.MemcachedSpec{}, "memcached", 18},
		{"a password needs no handshake", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, "memcached", 18},
		{"with TLS only, each probe is logged", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "memcached", 4},
		{"with TLS and client certificates too", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequire}}, "memcached", 4},
		{"the port without TLS logs nothing", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}}, "plaintext", 18},
	}
	for _, test := range cases {
		container := container(&test.spec, memorySizeOf(&test.spec))
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
