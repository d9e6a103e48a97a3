package observed

import (
	"cmp"
	"slices"
	"strings"
)

// Ingress is an observed Ingress.
type Ingress struct {
	Child
	Status IngressStatus `json:"status"`
}

// IngressStatus is the part of an Ingress's status that rules read.
type IngressStatus struct {
	LoadBalancer LoadBalancer `json:"loadBalancer"`
}

// LoadBalancer has the addresses at which a load balancer accepts traffic for an Ingress.
type LoadBalancer struct {
	Ingress list[LoadBalancerPoint] `json:"ingress"`
}

// LoadBalancerPoint is one entry of a load balancer: a host name, an IP address or both.
type LoadBalancerPoint struct {
	IP       string `json:"ip"`
	Hostname string `json:"hostname"`
}

// Address returns the address of the Ingress; "" if there is none. It prefers host names to IP addresses, and returns the
// first in sorted order: controllers list addresses in any order, and a status that follows that order would never settle.
func (i *Ingress) Address() string {
	if len(i.Status.LoadBalancer.Ingress) == 0 {
		return ""
	}
	first := slices.MinFunc(i.Status.LoadBalancer.Ingress, func(a, b LoadBalancerPoint) int {
		return cmp.Or(
			compareSet(a.Hostname, b.Hostname),
			compareSet(a.IP, b.IP),
		)
	})
	return cmp.Or(first.Hostname, first.IP)
}

// compareSet orders strings, the empty string last.
func compareSet(a, b string) int {
	if a == "" || b == "" {
		return strings.Compare(b, a)
	}
	return strings.Compare(a, b)
}
