// Package planning translates observed objects into the facts from which package scaling decides.
package planning

import (
	"iter"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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
	// Workload runs the servers; nil if none is observed. Current reports whether its pod template is the desired one.
	Workload *observed.Workload
	Current  bool
	// Proxies is the Deployment of the proxies; nil if none is observed.
	Proxies *observed.Workload
	// Pods are the pods of servers and proxies with the name of the Memcached.
	Pods iter.Seq[*observed.Pod]
	// Job is that of a move; nil if none is observed. CanRunJob reports whether one can run.
	Job       *observed.Job
	CanRunJob bool
}

// Facts returns what the pods that run, and the routes of the proxies, are decided from.
func (o Observed) Facts(now time.Time) scaling.Facts {
	o, predecessor := o.withoutPredecessor()
	spec := &o.Memcached.Spec
	return scaling.Facts{
		Now:         now,
		Size:        *spec.Size,
		MaxStep:     ptr.Deref(spec.Scaling.MaxStep, 0),
		Interval:    time.Duration(*spec.Scaling.StepIntervalSeconds) * time.Second,
		Workload:    o.workload(),
		Servers:     o.servers(),
		Recorded:    children.RecordedServers(o.Memcached),
		Proxies:     o.proxies(),
		Predecessor: predecessor,
		Job:         o.job(),
		CanRunJob:   o.CanRunJob,
		Status:      &o.Memcached.Status,
	}
}

func (o Observed) workload() *scaling.Workload {
	w := o.Workload
	if w == nil {
		return nil
	}
	return &scaling.Workload{
		Revision:  revision(w),
		Run:       scaling.Servers{First: w.Spec.Ordinals.Start, Count: *w.Spec.Replicas},
		Partition: w.Spec.UpdateStrategy.RollingUpdate.Partition,
		Ready:     w.Status.ReadyReplicas,
		Available: w.Status.AvailableReplicas,
		Current:   o.Current,
		Observed:  isObserved(w),
	}
}

// isObserved reports whether the controller of a workload has observed all of it.
func isObserved(workload *observed.Workload) bool {
	return workload.Status.ObservedGeneration >= workload.Generation
}

func revision(workload *observed.Workload) v1alpha1.Revision {
	return v1alpha1.Revision{Created: metav1.NewTime(workload.CreationTimestamp), Generation: workload.Generation}
}

// rolloutOf identifies a rollout of a Deployment. metadata.generation also changes with annotations.
func rolloutOf(deployment *observed.Workload) v1alpha1.Revision {
	number, _ := strconv.ParseInt(deployment.Annotations[deploymentRevisionAnnotation], 10, 64) // 0 until the first rollout begins
	return v1alpha1.Revision{Created: metav1.NewTime(deployment.CreationTimestamp), Generation: number}
}

// HasProxies reports whether spec has proxies, or the proxies that it had may still run.
func HasProxies(memcached *v1alpha1.Memcached) bool {
	return memcached.Spec.Proxy != nil || memcached.Status.Proxy != nil
}

// servers returns the pods of the StatefulSet by ordinal. Only proxies use ordinals.
func (o Observed) servers() map[int32]scaling.Server {
	if !HasProxies(o.Memcached) {
		return nil
	}
	pods := observed.UnfinishedPods(o.Pods, o.Memcached.Namespace, children.SelectorLabels(o.Memcached))
	servers := make(map[int32]scaling.Server, len(pods))
	for _, pod := range pods {
		if ordinal, found := children.Ordinal(o.Memcached, pod); found {
			servers[ordinal] = o.server(pod)
		}
	}
	return servers
}

func (o Observed) server(pod *observed.Pod) scaling.Server {
	live := !pod.Terminating()
	return scaling.Server{
		Pod:      podOf(pod),
		Ready:    live && pod.Ready(),
		HasItems: live && pod.RunsSinceReady(children.ContainerName),
		Holds:    holds(pod),
		Why:      pod.DisruptionReason(),
		Updated:  o.Workload != nil && isObserved(o.Workload) && pod.Labels[appsv1.ControllerRevisionHashLabelKey] == o.Workload.Status.UpdateRevision,
	}
}

// holds reports whether a pod that is being deleted serves on. A lost node leaves the status of the containers as it was.
func holds(pod *observed.Pod) bool {
	lost := pod.ContainerReady(children.ContainerName) && !pod.Serves(children.ContainerName)
	return !lost && pod.SidecarRunning(children.HoldName) && pod.ContainerRunning(children.ContainerName)
}

func (o Observed) proxies() scaling.Proxies {
	var p scaling.Proxies
	if spec := &o.Memcached.Spec; spec.Proxy != nil {
		p = scaling.Proxies{Desired: true, Replicas: *spec.Proxy.Replicas}
		if spec.WarmsUp() {
			p.Warmup = time.Duration(*spec.Proxy.Warmup.MaxSeconds) * time.Second
		}
	}
	if d := o.Proxies; d != nil {
		p.Deployment = &scaling.Deployment{
			Revision:  rolloutOf(d),
			Routes:    proxy.RoutesOf(d),
			Replicas:  *d.Spec.Replicas,
			RolledOut: rolledOut(d),
			Observed:  isObserved(d),
		}
	}
	for pod := range o.Pods {
		if isProxy(pod, o.Memcached) {
			p.Pods = append(p.Pods, scaling.Proxy{Pod: podOf(pod), Routes: scaling.ParseRoutes(pod.Labels[proxy.RoutesLabel])})
		}
	}
	return p
}

// isProxy reports whether a pod is a proxy of the Memcached that has not finished. Most pods are not, so the label comes first.
func isProxy(pod *observed.Pod, memcached *v1alpha1.Memcached) bool {
	return pod.Labels[children.ProxyLabel] == memcached.Name && pod.Labels["app"] == children.ProxySelector(memcached)["app"] &&
		pod.Namespace == memcached.Namespace && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

func podOf(pod *observed.Pod) scaling.Pod {
	if !pod.Terminating() {
		return scaling.Pod{Name: pod.Name}
	}
	return scaling.Pod{Name: pod.Name, Deleted: &pod.DeletionTimestamp.Time}
}

// rolledOut reports whether all pods of a Deployment have its current template and are available, and there are exactly as
// many as desired. It does not count pods that are being deleted.
func rolledOut(deployment *observed.Workload) bool {
	replicas, status := *deployment.Spec.Replicas, deployment.Status
	return !deployment.Terminating() && status.ObservedGeneration >= deployment.Generation &&
		status.Replicas == replicas && status.UpdatedReplicas == replicas && status.AvailableReplicas == replicas
}

// job returns the observed Job; nil if there is none, or if it is being deleted.
func (o Observed) job() *scaling.ObservedJob {
	job := o.Job
	if job == nil || job.Terminating() {
		return nil
	}
	return &scaling.ObservedJob{
		For:      job.Annotations[proxy.JobForAnnotation],
		Created:  job.CreationTimestamp,
		Complete: job.Has(string(batchv1.JobComplete)),
		Failed:   job.Has(string(batchv1.JobFailed)),
		Servers:  job.Spec.Completions,
		Done:     job.Status.Succeeded,
	}
}
