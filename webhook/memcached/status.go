package memcached

import (
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func status(o *observation, t templates, d moves.Decision, a assessment) v1alpha1.MemcachedStatus {
	return v1alpha1.MemcachedStatus{
		ReplicaStatus:   a.Status(a.own...),
		UpdatedReplicas: a.Rollout.Updated,
		Servers:         children.Servers(o.memcached, o.domain, d.Ordinals, o.liveServers),
		Image:           children.Image(&o.memcached.Spec, t.servers.Defaults.Images),
		Memory:          memoryStatus(t.memory),
		Scaling:         d.Scaling,
		Proxy:           proxyStatus(o, d.ProxyStatus, a),
	}
}

// memoryStatus returns quantities in whole MiB, whatever unit spec has. The API server stores them as they are.
func memoryStatus(size memory.Size) v1alpha1.MemoryStatus {
	status := v1alpha1.MemoryStatus{Items: *memory.MebibyteQuantity(size.ItemMiB), Limit: *memory.MebibyteQuantity(size.LimitMiB)}
	if size.FlashMiB > 0 {
		status.Flash = memory.MebibyteQuantity(size.FlashMiB)
	}
	return status
}

// proxyStatus adds what is observed of the proxies to what is decided; nil if there are none.
func proxyStatus(o *observation, decided *v1alpha1.ProxyStatus, a assessment) *v1alpha1.ProxyStatus {
	if decided == nil {
		return nil
	}
	status := *decided
	status.LastChangeTime = &a.changed
	if a.ProxyAssessment != nil {
		status.Address, status.ReadyReplicas = o.proxyAddress(), a.ProxyAssessment.Rollout.Ready
	}
	return &status
}

// proxyAddress returns the address of the proxies; "" while their Service does not exist, because one with its name may lead to another
// cache.
func (o *observation) proxyAddress() string {
	if o.service(proxy.Name(o.memcached)) == nil {
		return ""
	}
	return proxy.Address(o.memcached, o.domain)
}
