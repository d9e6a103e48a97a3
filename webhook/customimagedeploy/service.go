package customimagedeploy

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

func service(deploy *v1.CustomImageDeploy) *corev1.Service {
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      deploy.Name,
			Namespace: deploy.Namespace,
			Labels:    labels(deploy),
		},
		Spec: corev1.ServiceSpec{
			Selector: selectorLabels(deploy),
			Ports: []corev1.ServicePort{{
				Name:     portName,
				Protocol: corev1.ProtocolTCP,
				Port:     *deploy.Spec.Port,
				// The zero value is encoded as 0, which the API server replaces: a difference at every sync.
				TargetPort: intstr.FromString(portName),
			}},
		},
	}
}
