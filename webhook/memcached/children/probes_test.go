package children

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestProbes checks the number of probes, because memcached logs a line for each probe of a port with TLS. It also checks
// that memcached is restarted after a minute.
func TestProbes(t *testing.T) {
	cases := []struct {
		reason    string
		spec      v1alpha1.MemcachedSpec
		port      string
		perMinute int32
	}{
		{"without TLS, memcached logs no probes", v1alpha1.MemcachedSpec{}, "memcached", 18},
		{"passwords need no handshake", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, "memcached", 18},
		{"with TLS only, memcached logs each probe", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "memcached", 4},
		{"with client certificates, memcached logs each probe", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequire}}, "memcached", 4},
		{"with plaintext, the probes use the port without TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}}, "plaintext", 18},
	}
	for _, test := range cases {
		spec := sample.Defaulted(test.spec)
		container := container(spec, Images{}, memory.Of(spec))
		perMinute := int32(0)
		for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.LivenessProbe} {
			perMinute += 60 / probe.PeriodSeconds
			if port := probe.TCPSocket.Port.String(); port != test.port {
				t.Errorf("%s: a probe uses port %s, want %s", test.reason, port, test.port)
			}
		}
		if perMinute != test.perMinute {
			t.Errorf("%s: %d probes a minute, want %d", test.reason, perMinute, test.perMinute)
		}
		if seconds := container.LivenessProbe.PeriodSeconds * container.LivenessProbe.FailureThreshold; seconds != 60 {
			t.Errorf("%s: memcached is restarted after %d s, want 60 s", test.reason, seconds)
		}
		if slow := container.ReadinessProbe.PeriodSeconds > 5; slow != (container.StartupProbe != nil) {
			t.Errorf("%s: a startup probe is needed if and only if the readiness probe is rare", test.reason)
		}
	}
}
