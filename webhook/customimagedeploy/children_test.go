package customimagedeploy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestIngressHost(t *testing.T) {
	cases := []struct{ reason, host, want string }{
		{"the default, which is unique in the cluster", "", "shop.web"},
		{"a custom host", "shop.example.com", "shop.example.com"},
	}
	for _, test := range cases {
		deploy := sample()
		deploy.Spec.Host = test.host
		if got := ingress(deploy).Spec.Rules[0].Host; got != test.want {
			t.Errorf("%s: the host is %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestIngressClassName(t *testing.T) {
	deploy := sample()
	if got := ingress(deploy).Spec.IngressClassName; got != nil {
		t.Errorf("the class is %q, want nil for the default class", *got)
	}
	deploy.Spec.IngressClassName = "public"
	if got := ingress(deploy).Spec.IngressClassName; got == nil || *got != "public" {
		t.Errorf("the class is %v, want public", got)
	}
}

// TestPortIsNamed: children refer to the port by name, so that a change of the number breaks no request while pods with the
// old and the new number run at the same time.
func TestPortIsNamed(t *testing.T) {
	deploy := sample()
	container := deployment(deploy).Spec.Template.Spec.Containers[0]
	if diff := cmp.Diff([]corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}, container.Ports); diff != "" {
		t.Errorf("the container's ports (-want +got):\n%s", diff)
	}
	want := []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 8080, TargetPort: intstr.FromString("http")}}
	if diff := cmp.Diff(want, service(deploy).Spec.Ports); diff != "" {
		t.Errorf("the Service's ports (-want +got):\n%s", diff)
	}
	backend := ingress(deploy).Spec.Rules[0].HTTP.Paths[0].Backend.Service
	if backend.Name != "shop" || backend.Port.Name != "http" || backend.Port.Number != 0 {
		t.Errorf("the Ingress sends requests to %v", backend)
	}
}
