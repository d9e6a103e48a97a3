package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPodDisruptionBudget(t *testing.T) {
	one, half := intstr.FromInt32(1), intstr.FromString("50%")
	cases := []struct {
		reason                       string
		spec                         v1alpha1.PodDisruptionBudget
		minAvailable, maxUnavailable *intstr.IntOrString
	}{
		{"by default one pod may be unavailable", v1alpha1.PodDisruptionBudget{}, nil, &one},
		{"minAvailable replaces the default of maxUnavailable", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, &half, nil},
		{"maxUnavailable is set", v1alpha1.PodDisruptionBudget{MaxUnavailable: &half}, nil, &half},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.PodDisruptionBudget = test.spec
		budget := podDisruptionBudget(memcached, 2).Spec
		if diff := cmp.Diff([]*intstr.IntOrString{test.minAvailable, test.maxUnavailable}, []*intstr.IntOrString{budget.MinAvailable, budget.MaxUnavailable}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestPodDisruptionBudgetOfEachSet checks that the pods of one set are no reason to evict those of the other one.
func TestPodDisruptionBudgetOfEachSet(t *testing.T) {
	memcached := sample.New(3)
	memcached.Spec.Workload = v1alpha1.StatefulSetWorkload
	p := planOf(memcached, 3)
	p.Sets[scaling.Second] = scaling.DesiredSet{Exists: true, Replicas: 3}
	selected := map[string][]string{}
	for _, child := range podDisruptionBudgets(memcached, p) {
		budget := child.(*policyv1.PodDisruptionBudget)
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []scaling.Set{scaling.First, scaling.Second} {
			if selector.Matches(labels.Set(podLabels(memcached, set))) {
				selected[budget.Name] = append(selected[budget.Name], StatefulSetName(memcached, set))
			}
		}
	}
	want := map[string][]string{"cache": {"cache"}, "cache-b": {"cache-b"}}
	if diff := cmp.Diff(want, selected); diff != "" {
		t.Errorf("sets that each budget selects (-want +got):\n%s", diff)
	}
}
