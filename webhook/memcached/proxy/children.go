// Package proxy builds the children that belong to the proxies of a cache. memcached loads two files from their pods: the routes in
// library.lua, and a configuration that names the servers.
package proxy

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Input is what the children of proxies, and those of a Job, are built from.
type Input struct {
	Memcached *v1alpha1.Memcached
	Template  Template
	Decision  moves.Decision
	// OperatorImage, Domain and Memory are for the Job.
	OperatorImage, Domain string
	Memory                memory.Size
	// Service is the observed one; nil if there is none.
	Service *observed.Child
}

// exports reports whether the proxies have an exporter.
func (in *Input) exports() bool { return in.Template.Defaults.ExporterImage != "" }

// Children returns the children that belong to the proxies, the Deployment first. While no proxy runs, only the number of replicas differs.
func Children(in *Input) []runtime.Object {
	return children.Build(in, deployment, service, podDisruptionBudget, networkPolicy)
}

// EndingChildren returns the children that proxies have while they end because spec has none any more: what restricts their connections.
func EndingChildren(memcached *v1alpha1.Memcached) []runtime.Object {
	return children.Build(&Input{Memcached: memcached}, networkPolicy)
}

// service returns the Service by which clients reach all proxies at one address. A ServiceMonitor finds the exporters by it.
func service(in *Input) runtime.Object {
	memcached, spec, ports := in.Memcached, &in.Memcached.Spec.Proxy.Service, children.ClientPorts(&in.Memcached.Spec)
	if in.exports() {
		ports = append(ports, children.MetricsPorts(&memcached.Spec)...)
	}
	return children.KeepForeignAnnotations(&corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: objectMeta(memcached, spec.Annotations),
		Spec: corev1.ServiceSpec{
			Type:                  spec.Type,
			LoadBalancerClass:     spec.LoadBalancerClass,
			ExternalTrafficPolicy: spec.ExternalTrafficPolicy,
			TrafficDistribution:   spec.TrafficDistribution,
			IPFamilyPolicy:        memcached.Spec.Service.IPFamilyPolicy,
			Selector:              children.ProxySelector(memcached),
			Ports:                 ports,
		},
	}, in.Service)
}

// podDisruptionBudget limits a drain of nodes to one proxy at a time. The numbers in spec.podDisruptionBudget are those
// of the servers. It returns nil if it is disabled, and for a single proxy.
func podDisruptionBudget(in *Input) runtime.Object {
	memcached := in.Memcached
	if *memcached.Spec.Proxy.Replicas < 2 || !ptr.Deref(memcached.Spec.PodDisruptionBudget.Enabled, true) {
		return nil
	}
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: objectMeta(memcached, nil),
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:                   &metav1.LabelSelector{MatchLabels: children.ProxySelector(memcached)},
			MaxUnavailable:             new(intstr.FromInt32(1)),
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}
}
