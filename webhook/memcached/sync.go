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
	workload, err := ownWorkload(memcached, &request.Children)
	if err != nil {
		return syncResponse{}, err
	}
	state, err := c.newState(&request, workload, pods)
	if err != nil {
		return syncResponse{}, err
	}
	assessment, err := conditions.Assess(&state.observation)
	if err != nil {
		return syncResponse{}, err
	}
	status, untilReport := paced(memcached.Status, state.status(&assessment), request.Now)
	return syncResponse{
		Status:      status,
		Children:    state.observation.Children,
		ResyncAfter: conditions.Soonest(untilReport, state.scale.wait, assessment.Wait),
	}, nil
}

// ownWorkload returns the workload, nil when there is none yet. It refuses a workload of unknown size, which would read as one
// without pods.
func ownWorkload(memcached *v1alpha1.Memcached, children *childGroups) (*observed.Workload, error) {
	own := children.Deployments
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		own = children.StatefulSets
	}
	workload := own.Get(memcached.Namespace, memcached.Name)
	if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
		return nil, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, which every workload in an API server has", workloadKind(&memcached.Spec), memcached.Name)}
	}
	return workload, nil
}
