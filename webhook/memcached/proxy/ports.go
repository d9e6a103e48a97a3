package proxy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The ports that proxies with TLS have in addition to those of clients.
const (
	// movePort accepts connections without TLS from the Job, which has no client certificate, from probes, which memcached would log on a
	// port with TLS, and from the other containers of the pod. The NetworkPolicy lets only the Job connect.
	movePortName = "move"
	movePort     = 11213
	// commandPort accepts commands of memcached, not of a proxy, from the other containers of the pod. The command refresh_certs of the
	// reloader ends a connection to a proxy.
	commandPort = 11214
)

// plainPort returns the port that accepts connections without TLS, and its name.
func plainPort(spec *v1alpha1.MemcachedSpec) corev1.ServicePort {
	if spec.TLS == nil {
		return children.ServicePort(children.PortName, children.Port)
	}
	return children.ServicePort(movePortName, movePort)
}

// allPorts returns the declared ports of a proxy.
func allPorts(spec *v1alpha1.MemcachedSpec) []corev1.ServicePort {
	ports := children.ClientPorts(spec)
	if spec.TLS != nil {
		ports = append(ports, plainPort(spec))
	}
	return ports
}

// listenArgs returns the arguments for TLS and the listeners; nil without TLS.
func listenArgs(spec *v1alpha1.MemcachedSpec) []string {
	if spec.TLS == nil {
		return nil
	}
	listeners := append(children.ClientListeners(spec),
		fmt.Sprintf("notls:*:%d", movePort), fmt.Sprintf("notls:proto[ascii]:127.0.0.1:%d", commandPort))
	return append(children.TLSArgs(spec), "-l", strings.Join(listeners, ","))
}
