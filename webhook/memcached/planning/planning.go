// Package planning translates observed objects into the state from which package scaling decides.
package planning

import (
	"iter"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// deploymentRevisionAnnotation is the number of the rollout. The Deployment controller increases it when the pod template changes.
const deploymentRevisionAnnotation = "deployment.kubernetes.io/revision"

// Observed are the objects from which the planner decides.
type Observed struct {
	Memcached *v1alpha1.Memcached
	// Workload runs the servers, and Proxies is the Deployment of the proxies; nil if none is observed.
	Workload, Proxies *observed.Workload
	// Pods are the pods of servers and proxies.
	Pods iter.Seq[*observed.Pod]
	// Job copies items; nil if none is observed. CanCopy reports whether one can run.
	Job     *observed.Job
	CanCopy bool
}

// State returns what the number of servers, and the routes of the proxies, are decided from.
func (o Observed) State(now time.Time, maxClockSkew time.Duration) scaling.State {
	spec := &o.Memcached.Spec
	s := scaling.State{
		Now:          now,
		MaxClockSkew: maxClockSkew,
		Size:         *spec.Size,
		MaxStep:      ptr.Deref(spec.Scaling.MaxStep, 0),
		Interval:     time.Duration(*spec.Scaling.StepIntervalSeconds) * time.Second,
		Servers:      o.servers(),
		Proxies:      o.proxies(),
		Copy:         o.copy(),
		CanCopy:      o.CanCopy,
		Status:       &o.Memcached.Status,
	}
	if w := o.Workload; w != nil {
		s.Workload = &scaling.Workload{Revision: revision(w), Replicas: *w.Spec.Replicas, Available: w.Status.AvailableReplicas, AddedFor: w.Annotations[children.AddedForAnnotation]}
	}
	return s
}

func revision(workload *observed.Workload) v1alpha1.Revision {
	return v1alpha1.Revision{Created: metav1.NewTime(workload.CreationTimestamp), Generation: workload.Generation}
}

// rolloutOf identifies a rollout of a Deployment. metadata.generation also changes with annotations.
func rolloutOf(deployment *observed.Workload) v1alpha1.Revision {
	number, _ := strconv.ParseInt(deployment.Annotations[deploymentRevisionAnnotation], 10, 64) // 0 until the first rollout begins
	return v1alpha1.Revision{Created: metav1.NewTime(deployment.CreationTimestamp), Generation: number}
}

// servers returns the pods of a StatefulSet by ordinal.
func (o Observed) servers() map[int32]scaling.Server {
	memcached := o.Memcached
	if memcached.Spec.Proxy == nil && memcached.Status.Proxy == nil {
		return nil // only proxies use ordinals
	}
	servers := map[int32]scaling.Server{}
	for _, pod := range observed.UnfinishedPods(o.Pods, memcached.Namespace, children.SelectorLabels(memcached)) {
		if suffix, found := strings.CutPrefix(pod.Name, memcached.Name+"-"); found {
			if ordinal, err := strconv.ParseInt(suffix, 10, 32); err == nil {
				servers[int32(ordinal)] = scaling.Server{Ready: pod.Ready() && !pod.Terminating(), Deleted: deleted(pod)}
			}
		}
	}
	return servers
}

func (o Observed) proxies() scaling.Proxies {
	var p scaling.Proxies
	if proxy := o.Memcached.Spec.Proxy; proxy != nil {
		p = scaling.Proxies{Desired: true, Replicas: *proxy.Replicas, Warmup: time.Duration(*proxy.WarmupSeconds) * time.Second}
	}
	if d := o.Proxies; d != nil && d.Spec.Replicas != nil {
		p.Deployment = &scaling.Deployment{
			Revision:  rolloutOf(d),
			Routes:    scaling.ParseRoutes(d.Spec.Template.Metadata.Labels[proxy.RoutesLabel]),
			Replicas:  *d.Spec.Replicas,
			RolledOut: rolledOut(d),
		}
	}
	for pod := range o.Pods {
		if isProxy(pod, o.Memcached) {
			p.Pods = append(p.Pods, scaling.Proxy{Routes: scaling.ParseRoutes(pod.Labels[proxy.RoutesLabel]), Deleted: deleted(pod)})
		}
	}
	return p
}

// isProxy reports whether a pod is a proxy of the Memcached that has not finished. Most pods are not, so the label comes first.
func isProxy(pod *observed.Pod, memcached *v1alpha1.Memcached) bool {
	return pod.Labels[children.ProxyLabel] == memcached.Name && pod.Labels["app"] == children.ProxySelector(memcached)["app"] &&
		pod.Namespace == memcached.Namespace && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// deleted returns the deletion timestamp of a pod; nil if it is not being deleted.
func deleted(pod *observed.Pod) *time.Time {
	if !pod.Terminating() {
		return nil
	}
	return &pod.DeletionTimestamp.Time
}

// rolledOut reports whether all pods of a Deployment have its current template and are available, and there are exactly as
// many as desired. It does not count pods that are being deleted.
func rolledOut(deployment *observed.Workload) bool {
	replicas, status := *deployment.Spec.Replicas, deployment.Status
	return !deployment.Terminating() && status.ObservedGeneration >= deployment.Generation &&
		status.Replicas == replicas && status.UpdatedReplicas == replicas && status.AvailableReplicas == replicas
}

// copy returns the observed Job; nil if there is none, or if it is being deleted.
func (o Observed) copy() *scaling.Copy {
	job := o.Job
	if job == nil || job.Terminating() {
		return nil
	}
	return &scaling.Copy{
		For:      job.Annotations[proxy.CopiedForAnnotation],
		Complete: job.Has(string(batchv1.JobComplete)),
		Failed:   job.Has(string(batchv1.JobFailed)),
		Servers:  job.Spec.Completions,
		Copied:   job.Status.Succeeded,
	}
}
