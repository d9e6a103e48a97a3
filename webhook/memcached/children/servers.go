package children

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Servers returns the servers for clients: the names of all pods of the StatefulSets, or the addresses of the serving pods of a
// Deployment.
func Servers(memcached *v1alpha1.Memcached, sets [2]scaling.DesiredSet, pods []*observed.Pod) []string {
	if memcached.Spec.Workload != v1alpha1.StatefulSetWorkload {
		return ServerAddresses(pods)
	}
	return StatefulSetServers(memcached, sets)
}

// StatefulSetServers returns the host:port of all servers of both StatefulSets.
func StatefulSetServers(memcached *v1alpha1.Memcached, sets [2]scaling.DesiredSet) []string {
	first := ServerNames(memcached, scaling.Servers{Set: scaling.First, Count: sets[scaling.First].Replicas})
	return append(first, ServerNames(memcached, scaling.Servers{Set: scaling.Second, Count: sets[scaling.Second].Replicas})...)
}

// RecordedServers returns how many of the servers in status belong to a set.
func RecordedServers(memcached *v1alpha1.Memcached, set scaling.Set) (number int32) {
	second := StatefulSetName(memcached, scaling.Second) + "-"
	for _, server := range memcached.Status.Servers {
		if strings.HasPrefix(server, second) == (set == scaling.Second) {
			number++
		}
	}
	return number
}

// ServerNames returns the host:port of servers of a StatefulSet.
func ServerNames(memcached *v1alpha1.Memcached, servers scaling.Servers) []string {
	names := make([]string, 0, servers.Count)
	for i := range servers.Count {
		names = append(names, ServerName(memcached, servers.Set, strconv.Itoa(int(i))))
	}
	return names
}

// ServerName returns the host:port of a pod of a StatefulSet.
func ServerName(memcached *v1alpha1.Memcached, set scaling.Set, ordinal string) string {
	return fmt.Sprintf("%s-%s.%s.%s.svc:%d", StatefulSetName(memcached, set), ordinal, memcached.Name, memcached.Namespace, Port)
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
