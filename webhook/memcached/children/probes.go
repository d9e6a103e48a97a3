package children

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// probeSet holds the probes of the memcached container. They connect and send no command, because memcached accepts a
// connection even at its limit of connections. A restart empties the cache, so memcached is restarted only after it accepted
// no connection for a minute, or, in a pod that holds, after it has not responded for 12 s.
type probeSet struct{ startup, readiness, liveness *corev1.Probe }

// containerProbes returns probes of a client port without TLS if there is one, and otherwise rare probes of the port with
// TLS.
//
// A probe closes the connection before the TLS handshake. memcached then logs "accept4(): Resource temporarily unavailable"
// to standard error, at every verbosity, and no argument prevents this log line:
// https://github.com/memcached/memcached/blob/1.6.45/memcached.c, drive_machine. With the startup probe, a new pod becomes
// ready without waiting for the next rare probe.
func containerProbes(spec *v1alpha1.MemcachedSpec, images Images) probeSet {
	switch {
	case images.HasHold(): // the startup probe gives memcached a minute to start
		return probeSet{startup: ConnectProbe(PortName, 2, 3, 30), readiness: ConnectProbe(PortName, 5, 3, 3), liveness: holdLiveness()}
	case spec.ServesPlaintext():
		return probeSet{readiness: ConnectProbe(plaintextPortName, 5, 3, 3), liveness: ConnectProbe(plaintextPortName, 10, 5, 6)}
	case spec.TLS != nil:
		return probeSet{startup: ConnectProbe(PortName, 2, 3, 30), readiness: ConnectProbe(PortName, 30, 3, 2), liveness: ConnectProbe(PortName, 30, 5, 2)}
	}
	return probeSet{readiness: ConnectProbe(PortName, 5, 3, 3), liveness: ConnectProbe(PortName, 10, 5, 6)}
}

// ConnectProbe returns a probe that fails after failureThreshold attempts in a row to connect to the port.
func ConnectProbe(port string, periodSeconds, timeoutSeconds, failureThreshold int32) *corev1.Probe {
	probe := resources.TCPProbe(port, periodSeconds)
	probe.TimeoutSeconds, probe.FailureThreshold = timeoutSeconds, failureThreshold
	return probe
}
