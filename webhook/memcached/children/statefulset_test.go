package children

import (
	"testing"

	k8slabels "k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

// TestSecondSet checks that both StatefulSets are one cache for selectors and DNS, and that the second one manages only its own pods.
func TestSecondSet(t *testing.T) {
	memcached := sample.Proxied(3)
	p := planOf(memcached, 3)
	first := statefulSet(memcached, p)
	p.Set = scaling.Second
	p.Sets[scaling.Second] = scaling.DesiredSet{Exists: true, Replicas: 4}
	second := statefulSet(memcached, p)
	if second.Name != "cache-b" || second.Spec.ServiceName != "cache" || *second.Spec.Replicas != 4 {
		t.Errorf("the second StatefulSet is %s with Service %s and %d replicas", second.Name, second.Spec.ServiceName, *second.Spec.Replicas)
	}
	pods := k8slabels.Set(second.Spec.Template.Labels)
	for selector, labels := range map[string]map[string]string{
		"the first StatefulSet":  first.Spec.Selector.MatchLabels, // it manages only pods whose names begin with its own
		"the second StatefulSet": second.Spec.Selector.MatchLabels,
		"Services and budgets":   SelectorLabels(memcached),
	} {
		if !k8slabels.SelectorFromSet(labels).Matches(pods) {
			t.Errorf("the selector of %s does not match the pods of the second StatefulSet", selector)
		}
	}
	if k8slabels.SelectorFromSet(second.Spec.Selector.MatchLabels).Matches(k8slabels.Set(first.Spec.Template.Labels)) {
		t.Error("the selector of the second StatefulSet matches the pods of the first one")
	}
}
