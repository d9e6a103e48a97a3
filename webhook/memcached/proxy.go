package memcached

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	proxyContainerName = "proxy"

	// routesLabel on a proxy pod has its lists of servers, as [scaling.Routes] print them. The hook reads them from there, and so can
	// kubectl get pods -L.
	routesLabel = "memcached-operator.example.com/proxy-servers"
)

// proxyName returns the name of the children that belong to the proxies. It is valid for a Service, because the name of a
// StatefulSet has at most 52 characters.
func proxyName(memcached *v1alpha1.Memcached) string { return memcached.Name + "-proxy" }

// proxyAddress returns the host:port at which clients reach the proxies.
func proxyAddress(memcached *v1alpha1.Memcached) string {
	return fmt.Sprintf("%s.%s.svc:%d", proxyName(memcached), memcached.Namespace, memcachedPort)
}

func proxyMeta(memcached *v1alpha1.Memcached, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: proxyName(memcached), Namespace: memcached.Namespace, Labels: proxyLabels(memcached), Annotations: annotations}
}

func proxyLabels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(proxySelector(memcached), "memcached", memcached.Name, "proxy")
}

func proxyPodLabels(memcached *v1alpha1.Memcached, r scaling.Routes) map[string]string {
	labels := addLabels(map[string]string{}, memcached.Spec.PodLabels)
	maps.Copy(labels, proxyLabels(memcached))
	labels[routesLabel] = r.String()
	return labels
}

func proxyServicePorts() []corev1.ServicePort {
	return []corev1.ServicePort{servicePort(memcachedPortName, memcachedPort)}
}
