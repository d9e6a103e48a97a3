package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
)

func TestDeploymentImage(t *testing.T) {
	cases := []struct{ reason, image, want string }{
		{"the default", "", DefaultImage},
		{"a registry with a port and no tag", "registry.example.com:5000/memcached", "registry.example.com:5000/memcached"},
		{"a digest", "memcached@sha256:0123", "memcached@sha256:0123"},
	}
	for _, test := range cases {
		memcached := sample(1)
		memcached.Spec.Image = test.image
		if got := workload(memcached, planOf(memcached, 1, "")).(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image; got != test.want {
			t.Errorf("%s: image is %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestDeploymentSelectsItsOwnPods(t *testing.T) {
	built := workload(sample(2), planOf(sample(2), 2, "")).(*appsv1.Deployment)
	want := map[string]string{"app": "memcached", "memcached_cr": "cache"}
	if diff := cmp.Diff(want, built.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("a selector can never be changed once it is out (-want +got):\n%s", diff)
	}
	if !k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(built.Spec.Template.Labels)) {
		t.Errorf("the selector does not match the pods' labels %v", built.Spec.Template.Labels)
	}
	other := sample(2)
	other.Name = "other"
	if k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(workload(other, planOf(other, 2, "")).(*appsv1.Deployment).Spec.Template.Labels)) {
		t.Error("two Memcacheds of one namespace share their pods")
	}
}
