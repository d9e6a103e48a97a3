package memcached

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/memcached/validation"
	"github.com/example/memcached-operator/webhook/observed"
)

type syncRequest = composite.Observed[*v1alpha1.Memcached, childGroups, relatedGroups]

type syncResponse = composite.Desired[v1alpha1.MemcachedStatus]

func (c Config) sync(request syncRequest) (syncResponse, error) {
	memcached := request.Parent
	mayReplace := memcached.Spec.Workload == v1alpha1.StatefulSetWorkload // not by default: the pods of a Deployment end with their items
	memcached.Default()
	pods := observed.LivePods(request.Related.Pods.All(), memcached.Namespace, children.SelectorLabels(memcached))
	existing, other := request.Children.workloads(memcached)
	if err := validation.Validate(memcached, request.Children.managedKinds(), other != nil && !mayReplace); err != nil {
		return composite.Keep(&request, invalidStatus(&request, pods, err), err)
	}
	if existing != nil && (existing.Spec.Replicas == nil || *existing.Spec.Replicas < 0) { // it would look like a workload without pods
		return syncResponse{}, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, although the API server sets the field on every workload", memcached.Spec.Workload, existing.Name)}
	}
	state, err := c.newSyncState(&request, existing, pods)
	if err != nil {
		return syncResponse{}, err
	}
	assessment, err := conditions.Assess(&state.observation)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:      state.status(&assessment),
		Children:    policiesFirst(state.children),
		ResyncAfter: conditions.Soonest(state.plan.Wait, assessment.Wait),
	}, nil
}

// syncState contains what one sync derives from its request.
type syncState struct {
	request *syncRequest
	plan    children.Plan
	// proxies is the observed Deployment of the proxies; nil if there is none.
	proxies *observed.Workload
	// children are the desired ones of all kinds that the CompositeController lists. The conditions await those of the observation.
	children    []runtime.Object
	secrets     diagnosis.Secrets
	observation conditions.Observation
}

func (c Config) newSyncState(request *syncRequest, existing *observed.Workload, pods []*observed.Pod) (*syncState, error) {
	memcached, spec := request.Parent, &request.Parent.Spec
	plan, facts, err := c.plan(request, existing, pods)
	if err != nil {
		return nil, err
	}
	s := &syncState{
		request:     request,
		plan:        plan,
		proxies:     proxyWorkload(request),
		observation: observationOf(request, existing, pods),
	}
	if s.plan.ProxyDefaults, err = c.proxyDefaults(request, s.plan); err != nil {
		return nil, err
	}
	o := &s.observation
	o.Rollout = conditions.RolloutOf(existing, *spec.Size, memcached, pods)
	o.Serving = children.Serving(memcached, plan.Routes, pods)
	s.secrets = diagnosis.SecretsOf(spec, memcached.Status.Conditions, s.plan.Images.Reloader, o)
	service := request.Children.Services.Get(memcached.Namespace, memcached.Name)
	s.children = request.Listed(slices.Concat(children.Children(memcached, plan, service), proxy.Children(memcached, s.plan), c.warmup(memcached, plan.Decision)))
	o.Children = slices.DeleteFunc(slices.Clone(s.children), func(child runtime.Object) bool { return isWarmup(memcached, child) })
	o.Steps, o.RoomRemedy = diagnosis.Progress(facts, plan.Decision), facts.RoomRemedy(plan.Decision)
	if s.plan.Scaling != nil {
		o.LastStep = s.plan.Scaling.LastStepTime.Time
	}
	o.Remedies, o.Claim = diagnosis.Remedies(spec, s.plan.Memory), diagnosis.FlashClaim(spec.Flash)
	o.Findings = []conditions.Finding{
		s.secrets.Mounted, s.secrets.Reloaded,
		diagnosis.MemoryLimitTooLow(spec, s.plan.Memory), diagnosis.FlashMemoryTooLow(spec, s.plan.Memory),
		diagnosis.CopyFailed(memcached, facts, plan.Decision), diagnosis.CopyNotStarted(memcached, warmupJob(request), plan.Decision, request.Now.Time),
	}
	return s, s.assessProxies()
}

// assessProxies adds the assessment of the proxies to the observation.
func (s *syncState) assessProxies() error {
	if s.request.Parent.Spec.Proxy == nil {
		return nil
	}
	observation := s.proxyObservation()
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

// observationOf returns what the pods of a workload are assessed from, as far as it follows from the request.
func observationOf(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) conditions.Observation {
	return conditions.Observation{
		Parent:    request.Parent,
		Before:    request.Parent.Status.ReplicaStatus,
		Workload:  workload,
		Pods:      pods,
		Selector:  children.SelectorLabels(request.Parent),
		Container: children.ContainerName,
		Observed:  request.Child,
		Now:       request.Now,
	}
}

// policiesFirst returns the children in the order in which a person who applies a response should create them: each NetworkPolicy
// before the pods that it protects. Metacontroller applies children in the order of their API groups, whatever their order here.
func policiesFirst(desired []runtime.Object) []runtime.Object {
	isOther := func(child runtime.Object) int {
		if _, isPolicy := child.(*networkingv1.NetworkPolicy); isPolicy {
			return 0
		}
		return 1
	}
	ordered := slices.Clone(desired)
	slices.SortStableFunc(ordered, func(a, b runtime.Object) int { return isOther(a) - isOther(b) })
	return ordered
}
