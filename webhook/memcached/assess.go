package memcached

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// assessment is what status reports.
type assessment struct {
	// Assessment is that of the servers, and of the proxies before them.
	conditions.Assessment
	// own are the conditions that only a Memcached has.
	own []metav1.Condition
	// changed is when the routes of the proxies or the number of servers changed last.
	changed metav1.Time
}

// assess compares the observed servers and proxies with the desired ones. The conditions do not await the Job: the findings report what it
// does.
func assess(o *observation, t templates, facts moves.Facts, d moves.Decision, built desiredChildren) (assessment, error) {
	changed := lastChange(o, d)
	var proxies *conditions.Assessment
	if o.memcached.Spec.Proxy != nil {
		var err error
		reach := diagnosis.ProxyReachesNoServer(o.liveProxies, d, o.request.Now)
		if proxies, err = assessProxies(o, d.ProxyReplicas, built.proxies, lastOwnChange(o, d, changed), reach); err != nil {
			return assessment{}, err
		}
	}
	spec := &o.memcached.Spec
	rollout := conditions.RolloutOf(o.workload, *spec.Size, o.memcached, o.liveServers) // the steps of a move come before it
	if d.StuckServers > 0 {
		rollout = conditions.RolloutOf(o.workload, d.Ordinals.Count, o.memcached, o.liveServers)
		rollout.Stuck = d.StuckServers
	}
	servers := &conditions.Input{
		Parent: o.memcached,
		Before: o.memcached.Status.ReplicaStatus,
		Child:  o.request.Child,
		Now:    o.request.Now,

		Workload:        o.workload,
		Rollout:         rollout,
		Pods:            o.liveServers,
		InUse:           o.inUse(d.Routes),
		Selector:        children.SelectorLabels(o.memcached),
		Container:       children.ContainerName,
		ProxyAssessment: proxies,

		Children: slices.Concat(built.servers, built.proxies), // one command adopts all of them
		Steps:    diagnosis.Progress(facts, d),
		LastStep: lastOwnChange(o, d, changed),

		SpecField:  diagnosis.SpecField(o.memcached),
		Remedies:   diagnosis.Remedies(o.memcached, t.memory),
		RoomRemedy: diagnosis.RoomRemedy(facts, d),
		Claim:      diagnosis.FlashClaim(spec.Flash),
	}
	findings, own := diagnosis.Diagnose(&diagnosis.Input{
		Input:         servers,
		Memcached:     o.memcached,
		Memory:        t.memory,
		Images:        t.servers.Defaults.Images,
		ProxyPods:     o.liveProxies,
		ProxiesReload: t.proxies != nil && spec.TLS != nil && t.proxies.defaults(d.Routes).ReachImage != "",
		LostPods:      slices.DeleteFunc(slices.Concat(o.servers, o.proxies, o.predecessorPods), func(pod *observed.Pod) bool { return !pod.IsLost() }),
		Job:           o.job,
		JobPods:       o.jobPods,
		Facts:         facts,
		Decision:      d,
		ListsMonitors: o.request.Children.ServiceMonitors.Listed(),
	})
	assessed, err := conditions.Assess(servers, findings...)
	return assessment{assessed, own, changed}, err
}

// assessProxies returns the assessment of the proxies.
func assessProxies(
	o *observation, replicas int32, built []runtime.Object, last time.Time, findings ...conditions.Finding,
) (*conditions.Assessment, error) {
	assessed, err := conditions.Assess(&conditions.Input{
		Parent: o.memcached,
		Before: o.memcached.Status.ReplicaStatus,
		Child:  o.request.Child,
		Now:    o.request.Now,

		Workload:  o.proxyDeployment,
		Rollout:   conditions.RolloutOf(o.proxyDeployment, replicas, o.memcached, o.liveProxies),
		Pods:      o.liveProxies,
		Selector:  children.ProxySelector(o.memcached),
		Container: proxy.ContainerName,

		Children:  built,
		LastStep:  last,
		SpecField: diagnosis.SpecField(o.memcached),
		Remedies:  diagnosis.ProxyRemedies(o.memcached),
	}, findings...)
	return &assessed, err
}

// lastOwnChange returns when the children changed last without a change of spec: the number of servers, and with proxies their routes. How many
// proxies a rollout may replace at once follows from the servers that are ready.
func lastOwnChange(o *observation, d moves.Decision, changed metav1.Time) time.Time {
	var last time.Time
	if d.Scaling != nil {
		last = d.Scaling.LastStepTime.Time
	}
	if o.memcached.Spec.Proxy == nil {
		return last
	}
	return slices.MaxFunc([]time.Time{last, changed.Time, conditions.LastPodChange(o.liveServers, o.request.Now)}, time.Time.Compare)
}

// changeTimeStep is the precision of the time of the last change. A sync that observes the status before the last write does not know when
// the change was recorded, and records the same time if it follows within the step. The time delays reports by a minute, so seconds do not
// matter.
const changeTimeStep = 10 * time.Second

// lastChange returns when the routes of the proxies or the number of servers changed last.
func lastChange(o *observation, d moves.Decision) metav1.Time {
	status, now := &o.memcached.Status, o.request.Now
	if before := status.Proxy; before != nil && before.LastChangeTime != nil && !before.LastChangeTime.After(now.Time) &&
		moves.RecordedRoutes(before) == d.Routes && len(status.Servers) == int(d.Ordinals.Count) {
		return *before.LastChangeTime
	}
	return metav1.NewTime(now.Truncate(changeTimeStep))
}
