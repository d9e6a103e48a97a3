package children

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The ports of memcached.
const (
	PortName = "memcached"
	Port     = 11211

	plaintextPortName = "plaintext"
	plaintextPort     = 11212

	// loopbackPort serves the ASCII protocol without TLS and without SASL, to the containers of the pod only. It is not
	// declared as a port. The next port is holdPort.
	loopbackPort = 11213
)

// listensOnLoopback reports whether memcached also listens on loopbackPort, because the other containers of the pod cannot
// use the client port. With ASCII passwords a client must authenticate on this port too.
func listensOnLoopback(spec *v1alpha1.MemcachedSpec) bool {
	return spec.TLS != nil || spec.HasExporter() && spec.AuthMode() == v1alpha1.AuthSASL
}

// servicePorts returns all declared ports.
func servicePorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	return slices.Concat(ClientPorts(spec), MetricsPorts(spec))
}

// ClientPorts returns the ports of memcached.
func ClientPorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	ports := []corev1.ServicePort{ServicePort(PortName, Port)}
	if spec.ServesPlaintext() {
		ports = append(ports, ServicePort(plaintextPortName, plaintextPort))
	}
	return ports
}

// MetricsPorts returns the ports of the exporter.
func MetricsPorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	if !spec.HasExporter() {
		return nil
	}
	return []corev1.ServicePort{ServicePort(metricsPortName, MetricsPort)}
}

// ServicePort returns a TCP port whose target is the container port of the same name.
func ServicePort(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
}

// ContainerPorts returns the container ports of the ports of a Service.
func ContainerPorts(declared []corev1.ServicePort) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	for _, port := range declared {
		ports = append(ports, corev1.ContainerPort{Name: port.Name, ContainerPort: port.Port, Protocol: port.Protocol})
	}
	return ports
}
