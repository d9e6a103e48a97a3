package memcached

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// plan is what the children follow from, in addition to spec.
type plan struct {
	// replicas is the number of replicas of the workload.
	replicas int32
	memory   memorySize
	// reloaderImage is "" for pods without a reloader.
	reloaderImage string
}

// state is what one sync derives from its request. Each part is computed once.
type state struct {
	memcached   *v1alpha1.Memcached
	scale       scale
	plan        plan
	secrets     secrets
	observation conditions.Observation
	// monitors reports whether the CompositeController lists ServiceMonitors.
	monitors bool
}

func (c Config) newState(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) (*state, error) {
	memcached, spec := request.Parent, &request.Parent.Spec
	s := &state{
		memcached:   memcached,
		scale:       scaleOf(memcached, workload, request.Now),
		observation: observationOf(request, workload, pods),
		monitors:    request.Children.ServiceMonitors.Listed(),
	}
	s.plan = plan{replicas: s.scale.replicas, memory: memorySizeOf(spec)}
	var err error
	if s.plan.reloaderImage, err = reloaderImage(c.ReloaderImage, memcached, s.plan, workload, pods); err != nil {
		return nil, err
	}
	o := &s.observation
	o.Rollout = conditions.RolloutOf(workload, s.scale.size, memcached, pods)
	s.secrets = secretsOf(spec, memcached.Status.Conditions, s.plan.reloaderImage, o)
	o.Holder, o.Leftover = holders(memcached, &request.Related)
	o.Children = desiredChildren(memcached, s.plan, &request.Children)
	o.Steps, o.LastStep = s.scale.steps(), s.scale.lastStep()
	o.Remedies = remedies(spec, s.plan.memory)
	o.Causes = []conditions.Finding{s.secrets.mounted, s.secrets.reloaded}
	o.Risks = []conditions.Finding{tightMemory(spec, s.plan.memory)}
	return s, nil
}

func observationOf(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) conditions.Observation {
	return conditions.Observation{
		Parent:    request.Parent,
		Before:    request.Parent.Status.ReplicaStatus,
		Workload:  workload,
		Pods:      pods,
		Selector:  selectorLabels(request.Parent),
		Container: containerName,
		Observed:  request.Child,
		Now:       request.Now,
	}
}

// holders returns the objects that have the name of the workload: one of its kind and one of the other kind. Each is nil when
// there is none.
func holders(memcached *v1alpha1.Memcached, related *relatedGroups) (*observed.Holder, *conditions.Leftover) {
	own, other, otherKind := related.Deployments, related.StatefulSets, v1alpha1.StatefulSetWorkload
	if workloadKind(&memcached.Spec) == v1alpha1.StatefulSetWorkload {
		own, other, otherKind = other, own, v1alpha1.DeploymentWorkload
	}
	holder := own.Get(memcached.Namespace, memcached.Name)
	if leftover := other.Get(memcached.Namespace, memcached.Name); leftover != nil {
		return holder, &conditions.Leftover{Holder: leftover, Kind: string(otherKind)}
	}
	return holder, nil
}
