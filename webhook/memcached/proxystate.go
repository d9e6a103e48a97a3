package memcached

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// proxyState is what one sync observes of the proxies, and the change of size that follows from it.
type proxyState struct {
	deployment *observed.Workload
	// pods are the live proxies.
	pods []*observed.Pod
	// routes are the lists of the Deployment, or those in status while there is no Deployment.
	routes           routes
	settled, stopped bool
	// drained is the time until the last deleted proxy has stopped; 0 if there is none.
	drained time.Duration

	resize  resize
	changed metav1.Time
}

// proxyStateOf returns the observed state of the proxies; nil if spec has none.
func proxyStateOf(request *syncRequest) *proxyState {
	memcached := request.Parent
	if memcached.Spec.Proxy == nil {
		return nil
	}
	p := &proxyState{
		deployment: request.Children.Deployments.Get(memcached.Namespace, proxyName(memcached)),
		pods:       observed.LivePods(request.Related.Pods.All(), memcached.Namespace, proxySelector(memcached)),
	}
	if p.deployment != nil {
		p.routes = parseRoutes(p.deployment.Spec.Template.Metadata.Labels[routesLabel])
	} else {
		p.routes = recordedRoutes(memcached.Status.Proxy)
	}
	p.settled = rolledOut(p.deployment, *memcached.Spec.Proxy.Replicas)
	p.stopped = p.deployment == nil || rolledOut(p.deployment, 0)
	for pod := range request.Related.Pods.All() {
		if !mayRun(pod, memcached, request.Now) {
			continue
		}
		p.stopped = false
		p.settled = p.settled && pod.Labels[routesLabel] == p.routes.String()
		if pod.Terminating() {
			p.drained = max(p.drained, pod.DeletionTimestamp.Sub(request.Now.Time))
		}
	}
	return p
}

// recordedRoutes returns the lists in status; no lists if status was edited.
func recordedRoutes(status *v1alpha1.ProxyStatus) routes {
	if status == nil {
		return routes{}
	}
	return parseRoutes(routes{current: status.Servers, previous: status.PreviousServers}.String())
}

// rolledOut reports whether all pods of a Deployment have its current template and are available, and there are exactly that
// many of them. It does not count pods that are being deleted.
func rolledOut(deployment *observed.Workload, replicas int32) bool {
	if deployment == nil || deployment.Terminating() || deployment.Spec.Replicas == nil {
		return false
	}
	status := deployment.Status
	return *deployment.Spec.Replicas == replicas && status.ObservedGeneration >= deployment.Generation &&
		status.Replicas == replicas && status.UpdatedReplicas == replicas && status.AvailableReplicas == replicas
}

// mayRun reports whether a pod is a proxy of the Memcached that may still run. The kubelet kills a deleted pod at its
// deletion timestamp, but a lost node never confirms it.
func mayRun(pod *observed.Pod, memcached *v1alpha1.Memcached, now metav1.Time) bool {
	selector := proxySelector(memcached)
	return pod.Namespace == memcached.Namespace && pod.Labels["app"] == selector["app"] && pod.Labels[proxyLabel] == selector[proxyLabel] &&
		pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed &&
		(!pod.Terminating() || pod.DeletionTimestamp.After(now.Time))
}

// stepView returns the workload from which a change of size in steps continues, and whether the current step still changes
// the proxies. The StatefulSet alone does not show a step, because a step down removes servers last.
func (p *proxyState) stepView(memcached *v1alpha1.Memcached, workload *observed.Workload) (*observed.Workload, bool) {
	if p == nil || workload == nil || *workload.Spec.Replicas == 0 || p.routes.current == 0 {
		return workload, false
	}
	size, servers := *memcached.Spec.Size, *workload.Spec.Replicas
	base := p.routes.current
	switch maxStep := memcached.Spec.Scaling.MaxStep; {
	case p.routes.previous != 0:
		base = resizeState{target: size, observed: p.routes}.goal()
	case size > base && maxStep != nil:
		base = max(base, min(servers, size, base+*maxStep))
	}
	view := *workload
	view.Spec.Replicas = &base
	return &view, p.routes != routes{current: base} || !p.settled || servers != base
}

// decide sets the change of size to the target.
func (p *proxyState) decide(request *syncRequest, workload *observed.Workload, servers []*observed.Pod, target int32) {
	memcached := request.Parent
	state := resizeState{
		target:   target,
		observed: p.routes,
		ready:    p.routes.current + readyServers(memcached, servers, p.routes.current, target),
		settled:  p.settled,
		stopped:  p.stopped,
		warmup:   warmup(memcached.Spec.Proxy),
		now:      request.Now,
	}
	if workload != nil {
		state.servers = workload.Spec.Replicas
	}
	before := memcached.Status.Proxy
	if before != nil {
		state.recorded, state.recordedAt = recordedRoutes(before), before.LastChangeTime
		if before.Resize != nil && state.recorded == p.routes {
			state.until = before.Resize.Until
		}
	}
	p.resize = state.decide()
	p.changed = p.resize.changed
	if len(memcached.Status.ServerList) != int(p.resize.replicas) {
		p.changed = request.Now.Rfc3339Copy()
	}
}

// readyServers returns how many servers from an ordinal on are ready, up to the first that is not.
func readyServers(memcached *v1alpha1.Memcached, pods []*observed.Pod, from, to int32) int32 {
	ready := map[string]bool{}
	for _, pod := range pods {
		ready[pod.Name] = pod.Ready()
	}
	count := int32(0)
	for from+count < to && ready[fmt.Sprintf("%s-%d", memcached.Name, from+count)] {
		count++
	}
	return count
}

// wait returns the time until the next state of a change of size.
func (p *proxyState) wait() time.Duration {
	if p == nil {
		return 0
	}
	return conditions.Soonest(p.resize.wait, p.drained)
}

// observation returns what the proxies are assessed from. children are all desired children.
func (p *proxyState) observation(request *syncRequest, children []runtime.Object, replicas int32) conditions.Observation {
	o := observationOf(request, p.deployment, p.pods)
	o.Selector, o.Container = proxySelector(request.Parent), proxyContainerName
	o.Rollout = conditions.RolloutOf(p.deployment, replicas, request.Parent, p.pods)
	for _, child := range children {
		if child.(metav1.Object).GetName() == proxyName(request.Parent) { // the Deployment is the first of them
			o.Children = append(o.Children, child)
		}
	}
	o.LastStep = p.changed.Time
	o.Remedies = conditions.Remedies{proxyContainerName: {
		OOMKilled: "increase spec.proxy.resources.limits.memory",
		ExitCodes: map[int32]string{1: "memcached cannot load the configuration of the proxy or parse a flag; spec.image must be a memcached with the proxy, 1.6.33 or later"},
	}}
	return o
}

// status returns the status of the proxies.
func (p *proxyState) status(memcached *v1alpha1.Memcached, assessment *conditions.Assessment) *v1alpha1.ProxyStatus {
	if p == nil {
		return nil
	}
	return &v1alpha1.ProxyStatus{
		Address:         proxyAddress(memcached),
		ReadyReplicas:   assessment.Front.Rollout.Ready,
		Servers:         p.resize.routes.current,
		PreviousServers: p.resize.routes.previous,
		LastChangeTime:  &p.changed,
		Resize:          p.resize.status,
	}
}
