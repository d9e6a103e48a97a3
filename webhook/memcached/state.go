package memcached

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// plan contains what determines the children in addition to spec.
type plan struct {
	// replicas is the desired number of replicas of the workload.
	replicas int32
	memory   memorySize
	// reloaderImage is "" for pods without a reloader.
	reloaderImage string
}

// syncState contains what one sync derives from its request. Each part is computed once.
type syncState struct {
	memcached   *v1alpha1.Memcached
	scale       scale
	plan        plan
	secrets     secretsStatus
	observation conditions.Observation
	// monitorsListed reports whether the CompositeController lists ServiceMonitors.
	monitorsListed bool
}

func (c Config) newSyncState(request *syncRequest, workload *observed.Workload, pods []*observed.Pod) (*syncState, error) {
	memcached, spec := request.Parent, &request.Parent.Spec
	s := &syncState{
		memcached:      memcached,
		scale:          scaleOf(memcached, workload, request.Now),
		observation:    observationOf(request, workload, pods),
		monitorsListed: request.Children.ServiceMonitors.Listed(),
	}
	s.plan = plan{replicas: s.scale.replicas, memory: memorySizeOf(spec)}
	var err error
	if s.plan.reloaderImage, err = reloaderImage(c.ReloaderImage, memcached, s.plan, workload, pods); err != nil {
		return nil, err
	}
	o := &s.observation
	o.Rollout = conditions.RolloutOf(workload, s.scale.size, memcached, pods)
	s.secrets = secretsStatusOf(spec, memcached.Status.Conditions, s.plan.reloaderImage, o)
	o.Holder, o.Leftover = workloadHolders(memcached, &request.Related)
	o.Children = desiredChildren(memcached, s.plan, &request.Children)
	o.Steps, o.LastStep = s.scale.steps(), s.scale.lastStep()
	o.Remedies = remedies(spec, s.plan.memory)
	o.Causes = []conditions.Finding{s.secrets.mounted, s.secrets.reloaded}
	o.Risks = []conditions.Finding{memoryLimitTooLow(spec, s.plan.memory)}
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

// workloadHolders returns the objects that have the name of the workload: the object of the same kind, and the object of the
// other kind of workload. Each is nil if there is none.
func workloadHolders(memcached *v1alpha1.Memcached, related *relatedGroups) (*observed.Holder, *conditions.Leftover) {
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
