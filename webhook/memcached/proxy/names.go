package proxy

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	// ContainerName is the name of the proxy container.
	ContainerName = "proxy"

	// RoutesLabel on a proxy pod has its routes, as [scaling.Routes] print them. The hook reads them from there, and so can
	// kubectl get pods -L.
	RoutesLabel = "memcached-operator.example.com/proxy-servers"

	nameSuffix, jobSuffix = "-proxy", "-move"
)

// NameSuffixes are what the names of children add to the name of the Memcached. Two caches share no child as long as no Memcached has such a
// name: clients of one would reach the other.
var NameSuffixes = []string{nameSuffix, jobSuffix}

// Name returns the name of the children that belong to the proxies. It is valid for a Service, because the name of a
// StatefulSet has at most 52 characters.
func Name(memcached *v1alpha1.Memcached) string { return memcached.Name + nameSuffix }

// Address returns the host:port at which clients reach the proxies.
func Address(memcached *v1alpha1.Memcached) string {
	return fmt.Sprintf("%s.%s.svc:%d", Name(memcached), memcached.Namespace, children.Port)
}

func objectMeta(memcached *v1alpha1.Memcached, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: Name(memcached), Namespace: memcached.Namespace, Labels: childLabels(memcached), Annotations: annotations}
}

func childLabels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(children.ProxySelector(memcached), "memcached", memcached.Name, "proxy")
}

// PodLabels returns the labels of the proxy pods.
func PodLabels(memcached *v1alpha1.Memcached, r scaling.Routes) map[string]string {
	labels := children.AddLabels(map[string]string{}, memcached.Spec.PodLabels)
	maps.Copy(labels, childLabels(memcached))
	labels[RoutesLabel] = r.String()
	return labels
}

func servicePorts() []corev1.ServicePort {
	return []corev1.ServicePort{children.ServicePort(children.PortName, children.Port)}
}

// RoutesOf returns the routes of a Deployment of proxies; the zero value if somebody has edited its label.
func RoutesOf(deployment *observed.Workload) scaling.Routes {
	return scaling.ParseRoutes(deployment.Spec.Template.Metadata.Labels[RoutesLabel])
}
