package children

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Servers returns the servers for clients: the names of all pods of the StatefulSet, or the addresses of the serving pods of a
// Deployment.
func Servers(memcached *v1alpha1.Memcached, domain string, run moves.Range, pods []*observed.Pod) []string {
	if memcached.Spec.Workload != v1alpha1.StatefulSetWorkload {
		return ServerAddresses(pods)
	}
	return ServerNames(memcached, domain, run.List())
}

// RecordedOrdinals returns the range of the servers in status; the zero value if they have no ordinals.
func RecordedOrdinals(memcached *v1alpha1.Memcached, servers []string) moves.Range {
	if len(servers) == 0 || len(servers) > moves.MaxPods {
		return moves.Range{}
	}
	name, _, _ := strings.Cut(servers[0], ".")
	first, err := strconv.ParseInt(strings.TrimPrefix(name, memcached.Name+"-"), 10, 32)
	if err != nil || first < 0 || first > moves.MaxFirst || !strings.HasPrefix(servers[0], serviceName(memcached, strconv.FormatInt(first, 10))) {
		return moves.Range{}
	}
	return moves.Range{First: int32(first), Count: int32(len(servers))}
}

// ServerNames returns the host:port of servers of the StatefulSet.
func ServerNames(memcached *v1alpha1.Memcached, domain string, ordinals []int32) []string {
	names := make([]string, 0, len(ordinals))
	for _, ordinal := range ordinals {
		names = append(names, ServerName(memcached, domain, strconv.Itoa(int(ordinal))))
	}
	return names
}

// ServerName returns the host:port of a pod of the StatefulSet, with the domain of the cluster. The resolver of Alpine does not search for
// a shorter name that has as many dots as the option ndots of the pod.
func ServerName(memcached *v1alpha1.Memcached, domain, ordinal string) string {
	return fmt.Sprintf("%s.%s:%d", serviceName(memcached, ordinal), domain, Port)
}

func serviceName(memcached *v1alpha1.Memcached, ordinal string) string {
	return fmt.Sprintf("%s-%s.%s.%s.svc", memcached.Name, ordinal, memcached.Name, memcached.Namespace)
}

// Ordinal returns the ordinal of a pod of the StatefulSet, and whether it has one.
func Ordinal(memcached *v1alpha1.Memcached, pod *observed.Pod) (int32, bool) {
	suffix, found := strings.CutPrefix(pod.Name, memcached.Name+"-")
	ordinal, err := strconv.ParseInt(suffix, 10, 32)
	written := strconv.FormatInt(ordinal, 10) == suffix // no controller creates "cache-01"
	return int32(ordinal), found && err == nil && written && ordinal >= 0 && ordinal <= moves.MaxOrdinal
}

// ServingPods returns those of some pods that serve for proxies with some routes.
func ServingPods(memcached *v1alpha1.Memcached, routes moves.Routes, pods []*observed.Pod) []*observed.Pod {
	used := []*observed.Pod{}
	for _, pod := range pods {
		if ordinal, found := Ordinal(memcached, pod); found && routes.Serving().Has(ordinal) {
			used = append(used, pod)
		}
	}
	return used
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
