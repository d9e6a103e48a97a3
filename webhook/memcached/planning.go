package memcached

import (
	"strconv"
	"strings"
	"time"

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

// scalingState returns what the number of servers, and the routes of the proxies, are decided from.
func (c Config) scalingState(request *syncRequest, sets [2]scaling.ObservedSet) scaling.State {
	memcached, spec := request.Parent, &request.Parent.Spec
	return scaling.State{
		Now:          request.Now.Time,
		MaxClockSkew: c.MaxClockSkew,
		Size:         *spec.Size,
		MaxStep:      ptr.Deref(spec.Scaling.MaxStep, 0),
		Interval:     time.Duration(*spec.Scaling.StepIntervalSeconds) * time.Second,
		Sets:         sets,
		Warm:         spec.RollsOutWarm(),
		Proxies:      proxies(request),
		Copy:         observedCopy(request),
		CanCopy:      c.ReloaderImage != "" && spec.CopiesItems() && request.Children.Jobs.Listed(),
		Status:       &memcached.Status,
	}
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
func servers(memcached *v1alpha1.Memcached, set scaling.Set, pods []*observed.Pod) map[int32]scaling.Server {
	servers := make(map[int32]scaling.Server, len(pods))
	for _, pod := range pods {
		if suffix, found := strings.CutPrefix(pod.Name, children.StatefulSetName(memcached, set)+"-"); found {
			if ordinal, err := strconv.ParseInt(suffix, 10, 32); err == nil {
				servers[int32(ordinal)] = scaling.Server{Ready: pod.Ready() && !pod.Terminating(), Deleted: deleted(pod)}
			}
		}
	}
	return servers
}

// hasProxies reports whether spec has proxies, or the proxies that it had may still run.
func hasProxies(memcached *v1alpha1.Memcached) bool {
	return memcached.Spec.Proxy != nil || memcached.Status.Proxy != nil
}

func proxies(request *syncRequest) scaling.Proxies {
	memcached := request.Parent
	var p scaling.Proxies
	if proxy := memcached.Spec.Proxy; proxy != nil {
		p = scaling.Proxies{Desired: true, Replicas: *proxy.Replicas, Warmup: time.Duration(*proxy.WarmupSeconds) * time.Second}
	}
	if d := proxyWorkload(request); d != nil && d.Spec.Replicas != nil {
		p.Deployment = &scaling.Deployment{
			Revision:  rolloutOf(d),
			Routes:    scaling.ParseRoutes(d.Spec.Template.Metadata.Labels[proxy.RoutesLabel]),
			Replicas:  *d.Spec.Replicas,
			RolledOut: rolledOut(d),
		}
	}
	for pod := range request.Related.Pods.All() {
		if !isProxy(pod, memcached) {
			continue
		}
		p.Pods = append(p.Pods, scaling.Proxy{Routes: scaling.ParseRoutes(pod.Labels[proxy.RoutesLabel]), Deleted: deleted(pod)})
	}
	return p
}

// deleted returns the deletion timestamp of a pod; nil if it is not being deleted.
func deleted(pod *observed.Pod) *time.Time {
	if !pod.Terminating() {
		return nil
	}
	return &pod.DeletionTimestamp.Time
}

// isProxy reports whether a pod is a proxy of the Memcached that has not finished.
func isProxy(pod *observed.Pod, memcached *v1alpha1.Memcached) bool {
	selector := children.ProxySelector(memcached)
	return pod.Namespace == memcached.Namespace && pod.Labels["app"] == selector["app"] && pod.Labels[children.ProxyLabel] == selector[children.ProxyLabel] &&
		pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// rolledOut reports whether all pods of a Deployment have its current template and are available, and there are exactly as
// many as desired. It does not count pods that are being deleted.
func rolledOut(deployment *observed.Workload) bool {
	replicas, status := *deployment.Spec.Replicas, deployment.Status
	return !deployment.Terminating() && status.ObservedGeneration >= deployment.Generation &&
		status.Replicas == replicas && status.UpdatedReplicas == replicas && status.AvailableReplicas == replicas
}

// proxyWorkload returns the observed Deployment of the proxies; nil if there is none.
func proxyWorkload(request *syncRequest) *observed.Workload {
	return request.Children.Deployments.Get(request.Parent.Namespace, proxy.Name(request.Parent))
}
