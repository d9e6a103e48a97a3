package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
)

/*
The loss of one node, or a drain of it, would stop all proxies.

This check looks at the nodes of the proxies. A server that is drained ends when no proxy is connected to it.
*/

// The reasons of proxies that stop together.
var (
	ReasonOneProxy = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "OneProxy", Parent: "Memcached",
		Meaning: "The cache has only one proxy. While it restarts, every command fails. A drained server then stops immediately, because no proxy is connected to it, and loses its items.",
		Remedy:  "Set `spec.proxy.replicas` to 2 or more."})
	ReasonProxiesOnOneNode = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "ProxiesOnOneNode", Parent: "Memcached",
		Meaning: "All proxies run on one node. If this node fails or is drained, every command fails until new proxies are ready.",
		Remedy:  "Free resources on other nodes, then restart the proxies: `kubectl rollout restart deployment NAME-proxy`."})
)

func fewProxies(in *Input) conditions.Finding {
	proxies := in.ProxyPods
	switch spec := in.Memcached.Spec.Proxy; {
	case spec == nil || len(proxies) == 0 || *spec.Replicas == 0:
		return conditions.Finding{}
	case *spec.Replicas == 1:
		return conditions.Finding{Risk: ReasonOneProxy.Risk("The cache has only one proxy, so every command fails and a drained server loses its items while the proxy restarts. Set spec.proxy.replicas to 2 or more.")}
	case len(proxies) < int(*spec.Replicas):
		return conditions.Finding{}
	}
	node := proxies[0].Spec.NodeName
	for _, pod := range proxies {
		if node == "" || pod.Spec.NodeName != node {
			return conditions.Finding{}
		}
	}
	return conditions.Finding{Risk: ReasonProxiesOnOneNode.Risk("All %d proxies run on node %s, so if it fails or is drained, every command fails until new proxies are ready. Free resources on other nodes, then restart the Deployment of the proxies.", len(proxies), node)}
}
