package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	k8slabels "k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestDeploymentSelectsItsOwnPods(t *testing.T) {
	own := deployment(inputOf(sample.New(2), 2))
	want := map[string]string{"app": "memcached", "memcached_cr": "cache"}
	if diff := cmp.Diff(want, own.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("a selector is immutable and must not change between releases (-want +got):\n%s", diff)
	}
	if !k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(own.Spec.Template.Labels)) {
		t.Errorf("the selector does not match the labels of the pods: %v", own.Spec.Template.Labels)
	}
	other := sample.New(2)
	other.Name = "other"
	if k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(deployment(inputOf(other, 2)).Spec.Template.Labels)) {
		t.Error("the selector matches the pods of another Memcached")
	}
}

// inputOf returns what the children of so many servers are built from.
func inputOf(memcached *v1alpha1.Memcached, replicas int32) *Input {
	template := PodTemplate(memcached, Defaults{Images: Images{Memcached: DefaultImage}}, memory.Of(&memcached.Spec))
	return &Input{Memcached: memcached, Template: template, Decision: scaling.Decision{Run: scaling.Servers{Count: replicas}}}
}
