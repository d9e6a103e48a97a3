package children

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	// HoldName is the name of the sidecar that lets memcached serve until its items are on other servers.
	HoldName = "hold"

	// holdPort is for the kubelet, which connects from the node. A NetworkPolicy always allows it:
	// https://kubernetes.io/docs/concepts/services-networking/network-policies/#prerequisites. So the port is not declared, and no peer may
	// connect to it.
	holdPort = 11214

	// holdGraceSeconds is a minute less than the cluster autoscaler waits for a pod: its flag --max-graceful-termination-sec is 600 by
	// default. In this time the items of a server move to another one.
	holdGraceSeconds = 540
	// graceSeconds is the default of Kubernetes.
	graceSeconds = 30
)

// GracePeriodSeconds returns a default that has no place in the CRD, because it depends on spec.proxy.
func GracePeriodSeconds(spec *v1alpha1.MemcachedSpec, images Images) int64 {
	if !images.HasHold() {
		return ptr.Deref(spec.TerminationGracePeriodSeconds, graceSeconds)
	}
	return ptr.Deref(spec.TerminationGracePeriodSeconds, holdGraceSeconds)
}

// keepalive returns sysctls that close a connection 25 seconds after its peer has vanished without a word, with its node or its network. By
// default, that takes two hours, in which a server that is told to stop would wait for the peer. They are safe since Kubernetes 1.29:
// https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/#safe-and-unsafe-sysctls
//
// Proxies have none: a switch of the warm-up must not change their template, because the cluster may have no room for another proxy.
func keepalive(images Images) []corev1.Sysctl {
	if !images.HasHold() {
		return nil
	}
	return []corev1.Sysctl{
		{Name: "net.ipv4.tcp_keepalive_time", Value: "10"},
		{Name: "net.ipv4.tcp_keepalive_intvl", Value: "5"},
		{Name: "net.ipv4.tcp_keepalive_probes", Value: "3"},
	}
}

// holdContainers returns the sidecar of a pod that holds. The kubelet starts it before memcached and stops it after memcached, because it
// is an init container that restarts: https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
//
// Its image is not pulled again: otherwise a restart would depend on the registry, and without the sidecar memcached fails its liveness
// probe. In tests it used 22 MiB of memory with 900 clients, and 0.3 ms of CPU time for each probe.
func holdContainers(spec *v1alpha1.MemcachedSpec, images Images, cpu HelperCPU) []corev1.Container {
	if !images.HasHold() {
		return nil
	}
	return []corev1.Container{{
		Name:            HoldName,
		Image:           images.Hold,
		ImagePullPolicy: corev1.PullIfNotPresent,
		RestartPolicy:   new(corev1.ContainerRestartPolicyAlways),
		Args: []string{
			"hold",
			fmt.Sprintf("--address=:%d", holdPort),
			fmt.Sprintf("--memcached=127.0.0.1:%d", Port),
			fmt.Sprintf("--grace=%ds", GracePeriodSeconds(spec, images)),
		},
		Resources:       HelperResources(spec, 5, cpu),
		SecurityContext: resources.RestrictedContainer(),
	}}
}

// serverLifecycle returns the hooks of memcached. A pod that holds needs no sleep, because it waits for the clients themselves.
func serverLifecycle(spec *v1alpha1.MemcachedSpec, images Images) *corev1.Lifecycle {
	if !images.HasHold() {
		return Lifecycle(*spec.PreStopSleepSeconds)
	}
	return &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{HTTPGet: holdRequest("/hold")}}
}

func holdRequest(path string) *corev1.HTTPGetAction {
	return &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(holdPort)}
}

// holdLiveness returns a probe that fails if memcached does not respond to the sidecar. A TCP probe never fails on a stopped process,
// because the kernel accepts the connection.
//
// A memcached that hangs is restarted within 20 s: 4 periods of 3 s, the last timeout of 2 s, and the grace period of 5 s. Without this
// grace period the hold would end only with that of the pod, if memcached responds again. A memcached that is busy for 10 s is not
// restarted, nor one whose sidecar restarts, which takes 2 s. After a second crash within ten minutes, the kubelet waits longer.
func holdLiveness() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:                  corev1.ProbeHandler{HTTPGet: holdRequest("/alive")},
		PeriodSeconds:                 3,
		TimeoutSeconds:                2,
		FailureThreshold:              4,
		TerminationGracePeriodSeconds: new(int64(5)),
	}
}
