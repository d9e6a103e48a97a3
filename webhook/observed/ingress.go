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

// LoadBalancer says where traffic for an Ingress is taken.
type LoadBalancer struct {
	Ingress []LoadBalancerPoint `json:"ingress"`
}

// LoadBalancerPoint is one address of a load balancer: a host name, an IP or both.
type LoadBalancerPoint struct {
	IP       string `json:"ip"`
	Hostname string `json:"hostname"`
}

// Address returns where the Ingress is reached, or "". Of several addresses it is a host name rather than an IP, and the
// first in their order: controllers list them in any, and a status that follows would never settle.
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

// compareSet orders strings with the empty one last.
func compareSet(a, b string) int {
	if a == "" || b == "" {
		return strings.Compare(b, a)
	}
	return strings.Compare(a, b)
}
