package memcached

import (
	"fmt"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

type syncRequest = composite.Observed[*v1alpha1.Memcached, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.MemcachedStatus]

func (c Config) sync(request syncRequest) (syncResponse, error) {
	memcached := request.Parent
	pods := observed.LivePods(request.Related.Pods.All(), memcached.Namespace, selectorLabels(memcached))
	if err := validate(memcached, &request.Children); err != nil {
		return composite.Keep(&request, invalidStatus(&request, pods, err), err)
	}
	workload, err := observedWorkload(memcached, &request.Children)
	if err != nil {
		return syncResponse{}, err
	}
	state, err := c.newSyncState(&request, workload, pods)
	if err != nil {
		return syncResponse{}, err
	}
	assessment, err := conditions.Assess(&state.observation)
	if err != nil {
		return syncResponse{}, err
	}
	status, untilReport := paceProgress(memcached.Status, state.status(&assessment), request.Now)
	return syncResponse{
		Status:      status,
		Children:    state.observation.Children,
		ResyncAfter: conditions.Soonest(untilReport, state.scale.wait, assessment.Wait),
	}, nil
}

// observedWorkload returns the observed workload; nil if there is none. It refuses a workload without spec.replicas, because
// it would look like a workload without pods.
func observedWorkload(memcached *v1alpha1.Memcached, children *childGroups) (*observed.Workload, error) {
	group := children.Deployments
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		group = children.StatefulSets
	}
	workload := group.Get(memcached.Namespace, memcached.Name)
	if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
		return nil, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, although the API server sets the field on every workload", workloadKind(&memcached.Spec), memcached.Name)}
	}
	return workload, nil
}
