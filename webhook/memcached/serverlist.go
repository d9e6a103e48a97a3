package memcached

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// serverList returns the servers for clients: the names of all pods of a StatefulSet, or the addresses of the serving pods
// of a Deployment.
func serverList(memcached *v1alpha1.Memcached, replicas int32, pods []*observed.Pod) []string {
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return podServerNames(memcached, replicas)
	}
	return podServerAddresses(pods)
}

func podServerNames(memcached *v1alpha1.Memcached, replicas int32) []string {
	names := make([]string, 0, replicas)
	for i := range replicas {
		names = append(names, fmt.Sprintf("%s-%d.%s.%s.svc:%d", memcached.Name, i, memcached.Name, memcached.Namespace, memcachedPort))
	}
	return names
}

// podServerAddresses returns the addresses of the pods whose memcached serves, sorted by address.
func podServerAddresses(pods []*observed.Pod) []string {
	addresses := make([]netip.AddrPort, 0, len(pods))
	for _, pod := range pods {
		if address, err := netip.ParseAddr(pod.Status.PodIP); err == nil && pod.Serves(containerName) {
			addresses = append(addresses, netip.AddrPortFrom(address, memcachedPort))
		}
	}
	slices.SortFunc(addresses, netip.AddrPort.Compare)
	list := make([]string, 0, len(addresses))
	for _, address := range addresses {
		list = append(list, address.String())
	}
	return list
}
