// Package sample has parents and specs for tests.
package sample

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// New returns a Memcached with only the field size in its spec.
func New(size int32) *v1alpha1.Memcached {
	return (&v1alpha1.Memcached{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Memcached"},
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web", Generation: 3},
		Spec:       v1alpha1.MemcachedSpec{Size: &size},
	}).WithDefaults()
}

// Proxied returns a Memcached with two proxies and a warm-up of a minute.
func Proxied(size int32) *v1alpha1.Memcached {
	memcached := New(size)
	memcached.Spec.Workload = ""
	memcached.Spec.Proxy = &v1alpha1.Proxy{Warmup: v1alpha1.Warmup{MaxSeconds: new(int32(60))}}
	return memcached.WithDefaults()
}

// Defaulted returns a spec with its defaults.
func Defaulted(spec v1alpha1.MemcachedSpec) *v1alpha1.MemcachedSpec {
	return &(&v1alpha1.Memcached{Spec: spec}).WithDefaults().Spec
}

// Flash returns a flash tier with a volume of a size.
func Flash(size string) *v1alpha1.Flash {
	return Defaulted(v1alpha1.MemcachedSpec{Flash: &v1alpha1.Flash{Size: Quantity(size)}}).Flash
}

// WithServiceMonitor adds metrics and a ServiceMonitor.
func WithServiceMonitor(spec *v1alpha1.MemcachedSpec) {
	spec.Metrics = v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{}}
}

// Limits returns resources with a memory limit.
func Limits(memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}}
}

// Quantity parses a Quantity.
func Quantity(text string) *resource.Quantity { return new(resource.MustParse(text)) }
