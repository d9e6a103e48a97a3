package proxy

import (
	"maps"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

// RoutesLabel on a proxy pod has its routes, as [moves.Routes] print them. The hook reads them from there, and so can
// kubectl get pods -L.
const RoutesLabel = "memcached-operator.example.com/proxy-routes"

// RoutesOf returns the routes of a Deployment of proxies; the zero value if there is none, or if somebody has edited its label.
func RoutesOf(deployment *observed.Workload) moves.Routes {
	if deployment == nil {
		return moves.Routes{}
	}
	return moves.ParseRoutes(deployment.Spec.Template.Metadata.Labels.ProxyRoutes)
}

// PodLabels returns the labels of the proxy pods.
func PodLabels(memcached *v1alpha1.Memcached, r moves.Routes) map[string]string {
	labels := children.AddLabels(map[string]string{}, memcached.Spec.PodLabels)
	maps.Copy(labels, childLabels(memcached))
	labels[RoutesLabel] = r.String()
	return labels
}

func childLabels(memcached *v1alpha1.Memcached) map[string]string {
	return resources.Labels(children.ProxySelector(memcached), "memcached", memcached.Name, "proxy")
}
