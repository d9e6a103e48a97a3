package proxy

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// ContainerName is the name of the proxy container.
	ContainerName = "proxy"

	jobSuffix = "-move"
)

// NameSuffixes are what the names of children add to the name of the Memcached. Two caches share no child as long as no Memcached has such
// a name: clients of one would reach the other.
var NameSuffixes = []string{children.ProxySuffix, jobSuffix}

// Name returns the name of the children that belong to the proxies. It is valid for a Service, because the name of a
// StatefulSet has at most 52 characters.
func Name(memcached *v1alpha1.Memcached) string { return memcached.Name + children.ProxySuffix }

// Address returns the host:port at which clients reach the proxies, with the domain of the cluster.
func Address(memcached *v1alpha1.Memcached, domain string) string {
	return serviceAddress(memcached, Name(memcached), domain, children.Port)
}

// jobAddress returns the host:port at which the Job reaches the proxies.
func jobAddress(memcached *v1alpha1.Memcached, domain string) string {
	if memcached.Spec.TLS == nil {
		return Address(memcached, domain)
	}
	return serviceAddress(memcached, JobName(memcached), domain, movePort)
}

func serviceAddress(memcached *v1alpha1.Memcached, service, domain string, port int) string {
	return fmt.Sprintf("%s.%s.svc.%s:%d", service, memcached.Namespace, domain, port)
}

func objectMeta(memcached *v1alpha1.Memcached, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: Name(memcached), Namespace: memcached.Namespace, Labels: childLabels(memcached), Annotations: annotations}
}
