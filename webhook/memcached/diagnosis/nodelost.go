package diagnosis

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
The node of a server or of a proxy does not respond.

This check looks at the condition Ready of each pod, also of those that Kubernetes has deleted for it. The pod may run on. With proxies, a spare
gets the slot of the server once Kubernetes has deleted its pod.
*/

// The reasons of nodes that do not respond.
var (
	ReasonNodeLost = conditions.NewReason(conditions.SeverityProblem, conditions.Documentation{ID: "NodeLost", Parent: "Memcached",
		Meaning: "The node of a server or a proxy is unreachable: [A node dies](change.md#a-node-dies). If clients cannot reach the server either, reads of its keys miss, and writes fail. With proxies, a spare takes over these keys after about two minutes.",
		Remedy:  "With proxies, wait. Without proxies, a StatefulSet replaces the pod only after the node is reachable again, has the taint `out-of-service`, or its Node object is deleted. **Switch the node off** before you delete its Node object."})
	ReasonServersLost = conditions.NewReason(conditions.SeverityProblem, conditions.Documentation{ID: "ServersLost", Parent: "Memcached",
		Meaning: "More than half of the servers are on two or more unreachable nodes. While most nodes of a zone are unreachable, Kubernetes deletes no pods, and then no spare takes over the keys of these servers.",
		Remedy:  "Check the nodes and their network. If they do not recover, **switch them off**, and only then delete their Node objects."})
	ReasonServerReplaced = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "ServerReplaced", Parent: "Memcached",
		Meaning: "The node of a server is unreachable, and a spare serves the server's keys until the node is reachable again, has the taint `out-of-service`, or its Node object is deleted: [A node dies](change.md#a-node-dies).",
		Remedy:  "Repair the node. If it does not recover, **switch it off**, and only then delete its Node object."})
)

// nodeLost returns a problem for servers and proxies whose nodes do not respond, and a risk while spares have their slots.
func nodeLost(in *Input) conditions.Finding {
	var found conditions.Finding
	servers, proxies, nodes := in.lostPods()
	switch {
	case nodes > 1 && 2*len(servers) > in.serversInUse():
		found.Problem = ReasonServersLost.Problem("%d of %d servers, such as pod %s, are on unreachable nodes. If clients cannot reach them either, reads of their keys miss and writes fail. Check the nodes and their network.",
			len(servers), in.serversInUse(), servers[0])
	case len(servers) > 0:
		found.Problem = ReasonNodeLost.Problem("Pod %s is on an unreachable node. If clients cannot reach it either, reads of its keys miss and writes fail. %s", servers[0], recovery(&in.Memcached.Spec))
	case len(proxies) > 0:
		found.Problem = ReasonNodeLost.Problem("Pod %s is on an unreachable node. Its clients must reconnect. A replacement is starting.", proxies[0])
	}
	serving := in.Decision.Routes.Serving()
	if slices.ContainsFunc(serving.Spares(), func(spare moves.Spare) bool { return in.Facts.Servers[spare.For].State == moves.ServerStuck }) {
		found.Risk = ReasonServerReplaced.Risk("Spares serve the keys of servers on unreachable nodes: %s. Repair the nodes, or switch them off and only then delete their Node objects.",
			serving.Describe())
	}
	return found
}

// lostPods returns the names of servers that clients or proxies use, and of proxies that are not being deleted, whose nodes do not respond,
// and the number of nodes of these servers. A server whose items move decides for its keys until the move ends.
func (in *Input) lostPods() (servers, proxies []string, nodes int) {
	routes, nodesOfServers := in.Decision.Routes, sets.Set[string]{}
	for _, pod := range in.LostPods {
		ordinal, found := children.Ordinal(in.Memcached, pod)
		switch isProxy := pod.Labels[children.ProxyLabel] != ""; {
		case isProxy && !pod.Terminating():
			proxies = append(proxies, pod.Name)
		case !isProxy && in.keysWait(pod, found && (routes.Serving().Has(ordinal) || routes.From.Has(ordinal))):
			servers = append(servers, pod.Name)
			nodesOfServers.Insert(pod.Spec.NodeName)
		}
	}
	slices.Sort(servers)
	slices.Sort(proxies)
	return servers, proxies, len(nodesOfServers)
}

// serversInUse returns the number of servers that clients or proxies use. During a move, that includes those that items move from.
func (in *Input) serversInUse() int {
	routes := in.Decision.Routes
	switch {
	case routes == (moves.Routes{}):
		return int(*in.Memcached.Spec.Size)
	case routes.Serving() == routes.From:
		return int(routes.From.Slots.Count)
	}
	return int(routes.To.Slots.Count) + len(routes.Removed())
}

// keysWait reports whether the keys of a server wait for another one. Without proxies, another pod of a Deployment has replaced each one
// that is being deleted, and a server that spec does not want any more has no keys.
func (in *Input) keysWait(pod *observed.Pod, serves bool) bool {
	if in.Memcached.Spec.Proxy != nil {
		return serves
	}
	if ordinal, found := children.Ordinal(in.Memcached, pod); found && in.Memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		return in.Decision.Ordinals.Has(ordinal)
	}
	return !pod.Terminating()
}

// recovery returns what ends the loss of a server.
func recovery(spec *v1alpha1.MemcachedSpec) string {
	switch {
	case spec.Proxy != nil:
		return "This ends when a spare takes over the keys."
	case spec.Workload == v1alpha1.StatefulSetWorkload:
		return "If the node does not recover, switch it off, and only then delete its Node object so that the StatefulSet replaces the pod."
	}
	return "This ends when Kubernetes replaces the pod, by default six minutes after the node became unreachable."
}
