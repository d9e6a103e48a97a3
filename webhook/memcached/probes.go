package memcached

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// probes are those of memcached's container. They connect and send no command, because memcached accepts a connection even
// at its limit of connections. A restart empties the cache, so only a server that has not accepted a connection for a
// minute is restarted.
type probes struct{ startup, readiness, liveness *corev1.Probe }

// probesOf returns probes of a port without TLS, if clients have one, and otherwise rare probes.
//
// A probe closes the connection before the TLS handshake. For that memcached logs "accept4(): Resource temporarily
// unavailable" to standard error, at every verbosity, and no argument prevents it:
// https://github.com/memcached/memcached/blob/1.6.45/memcached.c, drive_machine. The startup probe makes a pod ready without
// a wait for the next rare probe.
func probesOf(spec *v1alpha1.MemcachedSpec) probes {
	switch {
	case servesPlaintext(spec):
		return probes{readiness: connects(plaintextPortName, 5, 3, 3), liveness: connects(plaintextPortName, 10, 5, 6)}
	case spec.TLS != nil:
		return probes{startup: connects(portName, 2, 3, 30), readiness: connects(portName, 30, 3, 2), liveness: connects(portName, 30, 5, 2)}
	}
	return probes{readiness: connects(portName, 5, 3, 3), liveness: connects(portName, 10, 5, 6)}
}

// connects returns a probe that fails when the port accepted no connection so many times in a row.
func connects(port string, periodSeconds, timeoutSeconds, failureThreshold int32) *corev1.Probe {
	probe := resources.TCPProbe(port, periodSeconds)
	probe.TimeoutSeconds, probe.FailureThreshold = timeoutSeconds, failureThreshold
	return probe
}
