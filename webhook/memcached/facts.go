package memcached

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// deploymentRevisionAnnotation is the number of the rollout. The Deployment controller increases it when the pod template changes.
const deploymentRevisionAnnotation = "deployment.kubernetes.io/revision"

// facts returns what the decision follows from, without Kubernetes objects.
func (c Config) facts(o *observation, t templates) moves.Facts {
	spec := &o.memcached.Spec
	return moves.Facts{
		Now:              o.request.Now.Time,
		Size:             *spec.Size,
		MaxStep:          ptr.Deref(spec.Scaling.MaxStep, 0),
		Interval:         time.Duration(*spec.Scaling.StepIntervalSeconds) * time.Second,
		Workload:         o.workloadFacts(t.templateApplied),
		Servers:          o.serverFacts(),
		RecordedOrdinals: children.RecordedOrdinals(o.memcached, o.recorded.Servers),
		Proxies:          o.proxyFacts(),
		PredecessorPods:  o.predecessorFacts(),
		HasOrphans:       o.hasOrphans && o.workload == nil && o.proxyDeployment == nil,
		Job:              jobFacts(o.job),
		CanRunJob:        c.OperatorImage != "" && o.request.Children.Jobs.Listed(),
		Status:           o.recorded,
	}
}

func podFact(pod *observed.Pod) moves.Pod {
	if !pod.Terminating() {
		return moves.Pod{Name: pod.Name}
	}
	return moves.Pod{Name: pod.Name, GraceEnds: &pod.DeletionTimestamp.Time, NodeLost: pod.IsLost()}
}

// proxyFacts returns the desired and the observed proxies.
func (o *observation) proxyFacts() moves.Proxies {
	var p moves.Proxies
	if spec := &o.memcached.Spec; spec.Proxy != nil {
		p = moves.Proxies{Desired: true, Replicas: *spec.Proxy.Replicas}
		if spec.WarmsUp() {
			p.Warmup = time.Duration(*spec.Proxy.Warmup.MaxSeconds) * time.Second
		}
	}
	if d := o.proxyDeployment; d != nil {
		replicas, status := *d.Spec.Replicas, d.Status
		number, _ := strconv.ParseInt(d.Annotations[deploymentRevisionAnnotation], 10, 64) // 0 until the first rollout begins
		updated := !d.Terminating() && d.CaughtUp() && status.Replicas == replicas && status.UpdatedReplicas == replicas
		p.Deployment = &moves.Deployment{
			// metadata.generation also changes with annotations, and the number of the rollout with the pod template alone.
			Revision: v1alpha1.Revision{Created: metav1.NewTime(d.CreationTimestamp), Number: number},
			Routes:   proxy.RoutesOf(d),
			Replicas: replicas,
			Updated:  updated, RolledOut: updated && status.AvailableReplicas == replicas,
			CaughtUp: d.CaughtUp(),
		}
	}
	for _, pod := range o.proxies {
		p.Pods = append(p.Pods, moves.ProxyPod{Pod: podFact(pod), Routes: moves.ParseRoutes(pod.Labels[proxy.RoutesLabel])})
	}
	return p
}

// jobFacts returns the observed Job; nil if there is none, or if it is being deleted.
func jobFacts(job *observed.Job) *moves.ObservedJob {
	if job == nil || job.Terminating() {
		return nil
	}
	return &moves.ObservedJob{
		For:      moves.ParseJob(job.Annotations[proxy.JobForAnnotation]),
		Created:  job.CreationTimestamp,
		Warmup:   proxy.WarmupOf(job),
		Complete: job.Complete(),
		Failed:   job.Failed(),
		Servers:  job.Spec.Completions,
		Done:     job.Status.Succeeded,
	}
}
