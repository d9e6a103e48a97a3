package diagnosis

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
A proxy has reached no server since its start, although a server is ready.

This check looks at the container of the proxy: the kubelet sets started when the startup probe succeeds. While no server is ready, the servers are
the problem.
*/

// ReasonProxyReachesNoServer is for a proxy whose startup probe fails.
var ReasonProxyReachesNoServer = conditions.NewReason(conditions.SeverityProblem, conditions.Documentation{ID: "ProxyReachesNoServer", Parent: "Memcached",
	Meaning: "A proxy has not reached any server within a minute of starting, although a server is ready. The rollout waits for the proxy, and the old proxies continue to serve clients.",
	Remedy:  "Check that the names in `status.servers` resolve in the cluster (`--cluster-domain` of the operator). Check that network policies allow connections from the proxies to the servers and to DNS. Also check the log of the proxy."})

// reachPeriod is how long a proxy may take to reach a server.
const reachPeriod = time.Minute

// ProxyReachesNoServer returns a finding for the first proxy that has reached no server for longer than reachPeriod.
func ProxyReachesNoServer(pods []*observed.Pod, d moves.Decision, now metav1.Time) conditions.Finding {
	var first conditions.Finding
	if d.Unreached {
		return first
	}
	for _, pod := range pods {
		since := unreachedSince(pod)
		if since.IsZero() {
			continue
		}
		if left := since.Add(reachPeriod).Sub(now.Time); left > 0 {
			first.Wait = conditions.Soonest(first.Wait, min(left, reachPeriod)) // the clock of the node may be ahead
			continue
		}
		first.Problem = ReasonProxyReachesNoServer.Problem(
			"Pod %s: the proxy has not reached any server within a minute of starting. Check that the names of the servers resolve (--cluster-domain of the operator) and that network policies allow connections to the servers and to DNS, and check the log of the proxy.", pod.Name)
		break
	}
	return first
}

// unreachedSince returns since when a proxy runs that has not reached a server; zero if it has, or has no such probe.
func unreachedSince(pod *observed.Pod) time.Time {
	named := func(name string) func(observed.ContainerStatus) bool {
		return func(container observed.ContainerStatus) bool { return container.Name == name }
	}
	at := slices.IndexFunc(pod.Status.ContainerStatuses, named(proxy.ContainerName))
	if at < 0 || !slices.ContainsFunc(pod.Status.InitContainerStatuses, named(proxy.ReachName)) {
		return time.Time{}
	}
	container := pod.Status.ContainerStatuses[at]
	if container.Started || container.Ready {
		return time.Time{}
	}
	return container.State.Running.StartedAt
}
