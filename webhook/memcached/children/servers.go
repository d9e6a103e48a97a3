package children

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Servers returns the servers for clients: the names of all pods of a StatefulSet, or the addresses of the serving pods
// of a Deployment.
func Servers(memcached *v1alpha1.Memcached, replicas int32, pods []*observed.Pod) []string {
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return ServerNames(memcached, replicas)
	}
	return ServerAddresses(pods)
}

// ServerNames returns the host:port of the first pods of the StatefulSet.
func ServerNames(memcached *v1alpha1.Memcached, replicas int32) []string {
	names := make([]string, 0, replicas)
	for i := range replicas {
		names = append(names, ServerName(memcached, strconv.Itoa(int(i))))
	}
	return names
}

// ServerName returns the host:port of a pod of the StatefulSet.
func ServerName(memcached *v1alpha1.Memcached, ordinal string) string {
	return fmt.Sprintf("%s-%s.%s.%s.svc:%d", memcached.Name, ordinal, memcached.Name, memcached.Namespace, Port)
}

// ServerAddresses returns the addresses of the pods whose memcached serves, sorted by address.
func ServerAddresses(pods []*observed.Pod) []string {
	addresses := make([]netip.AddrPort, 0, len(pods))
	for _, pod := range pods {
		if address, err := netip.ParseAddr(pod.Status.PodIP); err == nil && pod.Serves(ContainerName) {
			addresses = append(addresses, netip.AddrPortFrom(address, Port))
		}
	}
	slices.SortFunc(addresses, netip.AddrPort.Compare)
	servers := make([]string, 0, len(addresses))
	for _, address := range addresses {
		servers = append(servers, address.String())
	}
	return servers
}
