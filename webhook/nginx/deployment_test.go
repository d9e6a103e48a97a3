package nginx

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
)

func TestDeploymentImage(t *testing.T) {
	cases := []struct{ reason, image, want string }{
		{"the default", "", DefaultImage},
		{"a custom image", "registry.example.com:5000/nginx@sha256:0123", "registry.example.com:5000/nginx@sha256:0123"},
	}
	for _, test := range cases {
		nginx := sample(1)
		nginx.Spec.Image = test.image
		if got := deployment(nginx).Spec.Template.Spec.Containers[0].Image; got != test.want {
			t.Errorf("%s: image is %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestDeploymentSelectsItsOwnPods(t *testing.T) {
	built := deployment(sample(2))
	want := map[string]string{"app": "nginx", "nginx_cr": "proxy"}
	if diff := cmp.Diff(want, built.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("the selector of a Deployment is immutable (-want +got):\n%s", diff)
	}
	if !k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(built.Spec.Template.Labels)) {
		t.Errorf("the selector does not match the pods' labels %v", built.Spec.Template.Labels)
	}
	other := sample(2)
	other.Name = "other"
	if k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(deployment(other).Spec.Template.Labels)) {
		t.Error("the selector matches the pods of another Nginx")
	}
}

func TestNginxCanWriteToTmp(t *testing.T) {
	pod := deployment(sample(1)).Spec.Template.Spec
	if !*pod.Containers[0].SecurityContext.ReadOnlyRootFilesystem {
		t.Error("the root file system is writable")
	}
	if diff := cmp.Diff([]corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}}, pod.Containers[0].VolumeMounts); diff != "" {
		t.Errorf("nginx does not start without a writable /tmp (-want +got):\n%s", diff)
	}
	if len(pod.Volumes) != 1 || pod.Volumes[0].Name != "tmp" || pod.Volumes[0].EmptyDir == nil {
		t.Errorf("/tmp is not an emptyDir: %v", pod.Volumes)
	}
}
