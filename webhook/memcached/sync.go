package memcached

import (
	"cmp"
	"fmt"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/memcached/validation"
	"github.com/example/memcached-operator/webhook/observed"
)

type syncRequest = composite.Request[*v1alpha1.Memcached, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.MemcachedStatus]

// sync is all of a sync. Each step follows from the results of those above it.
func (c Config) sync(request syncRequest) (syncResponse, error) {
	o := c.observe(&request)
	if err := cmp.Or(validation.Nulls(request.Nulls), validation.Validate(o.memcached, request.ListedKinds(), o.losesItems, o.domain)); err != nil {
		return o.keep(err)
	}
	if err := requireReplicas(o.workload, o.proxyDeployment); err != nil {
		return syncResponse{}, err
	}
	podTemplates, err := c.templates(o)
	if err != nil {
		return syncResponse{}, err
	}
	facts := c.facts(o, podTemplates)
	decision := facts.Decide()
	built := c.build(o, podTemplates, decision)
	assessed, err := assess(o, podTemplates, facts, decision, built)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:      status(o, podTemplates, decision, assessed),
		Children:    built.all(),
		ResyncAfter: conditions.Soonest(decision.Wait, assessed.Wait),
	}, nil
}

// keep returns the children as they are, with the status of an invalid spec.
func (o *observation) keep(cause error) (syncResponse, error) {
	status, err := o.invalidStatus(cause)
	if err != nil {
		return syncResponse{}, err
	}
	return composite.Keep(o.request, conditions.WasValid(o.memcached.Status.Conditions), status, cause)
}

// requireReplicas returns an error for a workload without a number of replicas: it would look like one without pods.
func requireReplicas(workloads ...*observed.Workload) error {
	for _, workload := range workloads {
		if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
			return &composite.RequestError{Err: fmt.Errorf("workload %s has no spec.replicas of 0 or more, although the API server sets the field on every workload", workload.Name)}
		}
	}
	return nil
}
