package memcached

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
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
		Children:    policiesFirst(state.observation.Children),
		ResyncAfter: conditions.Soonest(untilReport, state.plan.Wait, assessment.Wait),
	}, nil
}

// syncState contains what one sync derives from its request. Each part is computed once.
type syncState struct {
	request     *syncRequest
	plan        children.Plan
	secrets     diagnosis.Secrets
	observation conditions.Observation
	// monitorsManaged reports whether the CompositeController manages ServiceMonitors.
	monitorsManaged bool
}

func (c Config) newSyncState(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) (*syncState, error) {
	memcached, spec := request.Parent, &request.Parent.Spec
	state := c.scalingState(request, workload)
	s := &syncState{
		request:         request,
		plan:            children.Plan{Plan: state.Next(), Memory: memory.Of(spec)},
		observation:     observationOf(request, workload, pods),
		monitorsManaged: request.Children.ServiceMonitors.Listed(),
	}
	var err error
	if s.plan.Images, err = c.images(memcached, s.plan, workload, pods); err != nil {
		return nil, err
	}
	if s.plan.ProxyDefaults, err = c.proxyDefaults(request, s.plan); err != nil {
		return nil, err
	}
	o := &s.observation
	o.Rollout = conditions.RolloutOf(workload, *spec.Size, memcached, pods)
	s.secrets = diagnosis.SecretsOf(spec, memcached.Status.Conditions, s.plan.Images.Reloader, o)
	o.Children = request.Listed(desiredChildren(memcached, s.plan, &request.Children))
	o.Steps = diagnosis.Progress(state, s.plan.Plan)
	if s.plan.Scaling != nil {
		o.LastStep = s.plan.Scaling.LastStepTime.Time
	}
	o.Remedies, o.Claim = diagnosis.Remedies(spec, s.plan.Memory), diagnosis.FlashClaim(spec.Flash)
	o.Findings = []conditions.Finding{
		s.secrets.Mounted, s.secrets.Reloaded,
		diagnosis.MemoryLimitTooLow(spec, s.plan.Memory), diagnosis.FlashMemoryTooLow(spec, s.plan.Memory),
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

// policiesFirst returns the children in the order in which a person who applies a response should create them: each NetworkPolicy
// before the pods that it protects. Metacontroller applies children in the order of their API groups, whatever their order here.
func policiesFirst(desired []runtime.Object) []runtime.Object {
	isOther := func(child runtime.Object) int {
		if child.GetObjectKind().GroupVersionKind().Kind == "NetworkPolicy" {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(desired), func(a, b runtime.Object) int { return isOther(a) - isOther(b) })
}

// desiredChildren returns the desired children, the workload first, also of kinds that the CompositeController does not list.
func desiredChildren(memcached *v1alpha1.Memcached, p children.Plan, existing *childGroups) []runtime.Object {
	desired := []runtime.Object{
		children.Workload(memcached, p),
		children.KeepForeignAnnotations(children.Service(memcached), existing.Services.Get(memcached.Namespace, memcached.Name)),
	}
	if budget := children.PodDisruptionBudget(memcached, p.Servers); budget != nil {
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

// observedWorkload returns the observed workload; nil if there is none. It refuses a workload without spec.replicas, because
// it would look like a workload without pods.
func observedWorkload(memcached *v1alpha1.Memcached, children *childGroups) (*observed.Workload, error) {
	group := children.Deployments
	if memcached.Spec.Workload == v1alpha1.StatefulSetWorkload {
		group = children.StatefulSets
	}
	workload := group.Get(memcached.Namespace, memcached.Name)
	if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
		return nil, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, although the API server sets the field on every workload", memcached.Spec.Workload, memcached.Name)}
	}
	return workload, nil
}
