package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/test/sample"
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
