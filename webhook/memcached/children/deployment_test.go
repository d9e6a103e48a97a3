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
	own := deployment(sample.New(2), templateOf(sample.New(2)), running(2))
	want := map[string]string{"app": "memcached", "memcached_cr": "cache"}
	if diff := cmp.Diff(want, own.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("a selector is immutable and must not change between releases (-want +got):\n%s", diff)
	}
	if !k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(own.Spec.Template.Labels)) {
		t.Errorf("the selector does not match the labels of the pods: %v", own.Spec.Template.Labels)
	}
	other := sample.New(2)
	other.Name = "other"
	if k8slabels.SelectorFromSet(want).Matches(k8slabels.Set(deployment(other, templateOf(other), running(2)).Spec.Template.Labels)) {
		t.Error("the selector matches the pods of another Memcached")
	}
}

func running(replicas int32) scaling.Decision {
	return scaling.Decision{Run: scaling.Servers{Count: replicas}}
}

func templateOf(memcached *v1alpha1.Memcached) Template {
	return PodTemplate(memcached, Images{Memcached: DefaultImage}, memory.Of(&memcached.Spec))
}
