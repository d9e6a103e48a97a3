package memcached

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/memcached/validation"
	"github.com/example/memcached-operator/webhook/observed"
)

type syncRequest = composite.Observed[*v1alpha1.Memcached, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.MemcachedStatus]

func (c Config) sync(request syncRequest) (syncResponse, error) {
	memcached := request.Parent
	memcached.Default()
	pods := observed.LivePods(request.Related.Pods.All(), memcached.Namespace, children.SelectorLabels(memcached))
	err := validation.Validate(memcached, managedKinds(&request.Children))
	if err == nil {
		err = checkWorkloadChange(memcached, &request.Children)
	}
	if err != nil {
		return composite.Keep(&request, invalidStatus(&request, pods, err), err)
	}
	existing, err := observedWorkloads(memcached, &request.Children)
	if err != nil {
		return syncResponse{}, err
	}
	state, err := c.newSyncState(&request, existing, pods)
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
		Children:    append(state.observation.Children, c.warmup(memcached, state.plan.Plan)...),
		ResyncAfter: conditions.Soonest(untilReport, state.plan.Wait, assessment.Wait),
	}, nil
}

// syncState contains what one sync derives from its request. Each part is computed once.
type syncState struct {
	request *syncRequest
	// sets are both sets of servers, and plan is the one in use.
	sets        [2]children.Plan
	plan        children.Plan
	secrets     diagnosis.Secrets
	observation conditions.Observation
	// monitorsManaged reports whether the CompositeController manages ServiceMonitors.
	monitorsManaged bool
}

func (c Config) newSyncState(request *syncRequest, existing workloads, pods []*observed.Pod) (*syncState, error) {
	memcached, spec := request.Parent, &request.Parent.Spec
	sets, state, err := c.planSets(request, existing, pods)
	if err != nil {
		return nil, err
	}
	inUse := sets[scaling.First].InUse
	s := &syncState{
		request:         request,
		sets:            sets,
		plan:            sets[inUse],
		observation:     observationOf(request, existing[inUse], pods),
		monitorsManaged: request.Children.ServiceMonitors.Listed(),
	}
	o := &s.observation
	o.Second, o.SecondRemedy = existing[inUse.Other()], scaling.RemedyInPlace
	o.Rollout = conditions.RolloutOf(existing[inUse], *spec.Size, memcached, podsOf(inUse, pods))
	s.secrets = diagnosis.SecretsOf(spec, memcached.Status.Conditions, s.plan.ReloaderImage, o)
	o.Children = request.Listed(desiredChildren(memcached, s.plan, s.sets, &request.Children))
	o.Steps = diagnosis.Progress(state, s.plan.Plan)
	if s.plan.Scaling != nil {
		o.LastStep = s.plan.Scaling.LastStepTime.Time
	}
	o.Remedies, o.Claim = diagnosis.Remedies(spec, s.plan.Memory), diagnosis.FlashClaim(spec.Flash)
	o.Findings = []conditions.Finding{
		s.secrets.Mounted, s.secrets.Reloaded,
		diagnosis.MemoryLimitTooLow(spec, s.plan.Memory), diagnosis.FlashMemoryTooLow(spec, s.plan.Memory),
		diagnosis.CopyFailed(memcached, state, s.plan.Plan),
	}
	return s, s.assessProxies()
}

// assessProxies adds the assessment of the proxies to the observation.
func (s *syncState) assessProxies() error {
	if s.request.Parent.Spec.Proxy == nil {
		return nil
	}
	observation := proxyObservation(s.request, s.observation.Children, s.plan.Plan)
	proxies, err := conditions.Assess(&observation)
	if err != nil {
		return err
	}
	o := &s.observation
	o.Proxies = &proxies
	if observation.LastStep.After(o.LastStep) {
		o.LastStep = observation.LastStep
	}
	return nil
}

// desiredChildren returns the desired children, the workload in use first, also of kinds that the CompositeController does not list.
func desiredChildren(memcached *v1alpha1.Memcached, p children.Plan, sets [2]children.Plan, existing *childGroups) []runtime.Object {
	desired := []runtime.Object{
		children.Workload(memcached, p),
		children.KeepForeignAnnotations(children.Service(memcached), existing.Services.Get(memcached.Namespace, memcached.Name)),
	}
	if other := p.InUse.Other(); p.Sets[other].Exists {
		desired = append(desired, children.Workload(memcached, sets[other]))
	}
	if budget := children.PodDisruptionBudget(memcached, p.Replicas()); budget != nil {
		desired = append(desired, budget)
	}
	if policy := children.NetworkPolicy(memcached); policy != nil {
		desired = append(desired, policy)
	}
	if monitor := children.ServiceMonitor(memcached); monitor != nil {
		desired = append(desired, monitor)
	}
	return append(desired, proxy.Children(memcached, p)...)
}

// observedWorkloads returns the observed workloads. It refuses a workload without spec.replicas, because it would look like a
// workload without pods.
func observedWorkloads(memcached *v1alpha1.Memcached, children *childGroups) (workloads, error) {
	found := workloadsOf(memcached, children, memcached.Spec.Workload)
	for _, workload := range found {
		if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
			return found, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, although the API server sets the field on every workload", memcached.Spec.Workload, workload.Name)}
		}
	}
	return found, nil
}
