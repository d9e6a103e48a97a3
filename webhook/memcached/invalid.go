package memcached

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// invalidStatus returns the status of a Memcached with an invalid spec. Its children do not change, and the fields of the
// status that depend on spec keep their values.
func (o *observation) invalidStatus(cause error) (v1alpha1.MemcachedStatus, error) {
	memcached, status := o.memcached, o.memcached.Status
	status.Servers = append([]string{}, status.Servers...) // never null, which the API server removes
	deployment := o.request.Children.Deployments.Get(memcached.Namespace, memcached.Name)
	workload := o.request.Children.StatefulSets.Get(memcached.Namespace, memcached.Name)
	switch {
	case workload != nil:
		count := min(max(ptr.Deref(workload.Spec.Replicas, 0), 0), moves.MaxPods)
		status.Servers = children.ServerNames(memcached, o.domain, moves.Range{First: firstOrdinal(workload), Count: count}.List())
	case deployment != nil:
		workload, status.Servers = deployment, children.ServerAddresses(o.liveServers)
	}
	if workload != nil {
		status.UpdatedReplicas = workload.Status.UpdatedReplicas
	}
	if missing := o.missingChildren(workload); len(missing) > 0 {
		cause = fmt.Errorf("%w. These children are missing, and are not created until the spec is valid: %s", cause, strings.Join(missing, ", "))
	}
	if status.Proxy != nil {
		status.Proxy = new(*status.Proxy)
		status.Proxy.Address = o.proxyAddress()
	}
	var proxies *conditions.Assessment
	if o.proxyDeployment != nil && status.Proxy != nil {
		var err error
		if proxies, err = assessProxies(o, ptr.Deref(o.proxyDeployment.Spec.Replicas, 0), nil, o.request.Now.Time); err != nil {
			return status, err
		}
		status.Proxy.ReadyReplicas = proxies.Rollout.Ready
	}
	status.ReplicaStatus = conditions.InvalidStatus(&conditions.Input{
		Parent: memcached,
		Before: memcached.Status.ReplicaStatus,
		Child:  o.request.Child,
		Now:    o.request.Now,

		Workload:        workload,
		Pods:            o.liveServers,
		InUse:           o.inUse(moves.RecordedRoutes(status.Proxy)),
		Selector:        children.SelectorLabels(memcached),
		Container:       children.ContainerName,
		ProxyAssessment: proxies,
	}, cause)
	return status, nil
}

// missingChildren returns the children that a running cache should have and does not have, as far as an invalid spec says. The hook
// cannot create them: their last valid form was in an annotation that is gone with them. A new cache has no children, and misses none.
func (o *observation) missingChildren(workload *observed.Workload) []string {
	memcached, existing := o.memcached, &o.request.Children
	if workload == nil && memcached.Status.Replicas == 0 {
		return nil
	}
	var missing []string
	note := func(kind, name string, isMissing bool) {
		if isMissing {
			missing = append(missing, kind+" "+name)
		}
	}
	note(string(memcached.Spec.Workload), memcached.Name, workload == nil)
	names := []string{memcached.Name}
	if memcached.Spec.Proxy != nil && memcached.Status.Proxy != nil {
		names = append(names, proxy.Name(memcached))
		note("Deployment", proxy.Name(memcached), existing.Deployments.Get(memcached.Namespace, proxy.Name(memcached)) == nil)
	}
	noteBudget := func(name string, pods int32) {
		wanted := pods > 1 && ptr.Deref(memcached.Spec.PodDisruptionBudget.Enabled, true) && existing.PodDisruptionBudgets.Listed()
		note("PodDisruptionBudget", name, wanted && existing.PodDisruptionBudgets.Get(memcached.Namespace, name) == nil)
	}
	noteBudget(memcached.Name, memcached.Status.Replicas)
	if d := o.proxyDeployment; d != nil && memcached.Spec.Proxy != nil {
		noteBudget(proxy.Name(memcached), ptr.Deref(d.Spec.Replicas, 0))
	}
	for _, name := range names {
		note("Service", name, existing.Services.Listed() && existing.Services.Get(memcached.Namespace, name) == nil)
		note("NetworkPolicy", name+" (the pods are open to every peer)", ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) && existing.NetworkPolicies.Listed() &&
			existing.NetworkPolicies.Get(memcached.Namespace, name) == nil)
	}
	return missing
}
