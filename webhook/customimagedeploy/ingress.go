package customimagedeploy

import (
	"cmp"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

func ingress(deploy *v1.CustomImageDeploy) *networkingv1.Ingress {
	return &networkingv1.Ingress{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      deploy.Name,
			Namespace: deploy.Namespace,
			Labels:    labels(deploy),
		},
		Spec: networkingv1.IngressSpec{
			IngressClassName: ingressClassName(deploy),
			Rules: []networkingv1.IngressRule{{
				Host:             host(deploy),
				IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: paths(deploy)}},
			}},
		},
	}
}

// ingressClassName returns the IngressClass; nil if none is set, so that the API server sets the cluster's default class.
func ingressClassName(deploy *v1.CustomImageDeploy) *string {
	if deploy.Spec.IngressClassName == "" {
		return nil
	}
	return new(deploy.Spec.IngressClassName)
}

func host(deploy *v1.CustomImageDeploy) string {
	return cmp.Or(deploy.Spec.Host, deploy.Name+"."+deploy.Namespace)
}

func paths(deploy *v1.CustomImageDeploy) []networkingv1.HTTPIngressPath {
	return []networkingv1.HTTPIngressPath{{
		Path:     "/",
		PathType: new(networkingv1.PathTypePrefix),
		Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
			Name: deploy.Name,
			Port: networkingv1.ServiceBackendPort{Name: portName},
		}},
	}}
}
