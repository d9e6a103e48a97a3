package memcached

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Where memcached listens. Only the ports that it answers on are declared anywhere.
const (
	portName = "memcached"
	port     = 11211

	plaintextPortName = "plaintext"
	plaintextPort     = 11212

	// loopbackPort speaks ASCII without TLS and without SASL to the containers of the pod alone: it is declared nowhere.
	loopbackPort = 11213
)

// listensOnLoopback is true where the other containers of the pod could not use the port of the clients. In ASCII mode
// a client logs in there too: memcached knows no exemption.
func listensOnLoopback(spec *v1alpha1.MemcachedSpec) bool {
	return spec.TLS != nil || exports(spec) && authMode(spec) == v1alpha1.AuthSASL
}

// servicePorts are all that are declared.
func servicePorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	return slices.Concat(clientPorts(spec), metricsPorts(spec))
}

// clientPorts are those of memcached.
func clientPorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	ports := []corev1.ServicePort{servicePort(portName, port)}
	if servesPlaintext(spec) {
		ports = append(ports, servicePort(plaintextPortName, plaintextPort))
	}
	return ports
}

// metricsPorts are those of the exporter.
func metricsPorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	if !exports(spec) {
		return nil
	}
	return []corev1.ServicePort{servicePort(metricsPortName, metricsPort)}
}

func servicePort(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
}

func containerPorts(declared []corev1.ServicePort) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	for _, each := range declared {
		ports = append(ports, corev1.ContainerPort{Name: each.Name, ContainerPort: each.Port, Protocol: each.Protocol})
	}
	return ports
}
