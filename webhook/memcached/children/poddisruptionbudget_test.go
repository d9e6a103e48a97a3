package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPodDisruptionBudget(t *testing.T) {
	none, one, half := intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromString("50%")
	cases := []struct {
		reason                       string
		spec                         v1alpha1.PodDisruptionBudget
		routes                       string
		minAvailable, maxUnavailable *intstr.IntOrString
	}{
		{"by default one pod may be unavailable", v1alpha1.PodDisruptionBudget{}, "0-1", nil, &one},
		{"minAvailable replaces the default of maxUnavailable", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, "0-1", &half, nil},
		{"maxUnavailable is set", v1alpha1.PodDisruptionBudget{MaxUnavailable: &half}, "0-1", nil, &half},
		{"a slot moves to the spare", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, "0-1_0-1.0_announcing", nil, &none},
		{"the spare serves, and the server that was deleted may be ready again", v1alpha1.PodDisruptionBudget{}, "0-1.0", nil, &none},
		{"the server that has started again gets its items back", v1alpha1.PodDisruptionBudget{}, "0-1.0_0-1_warming", nil, &none},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.PodDisruptionBudget = test.spec
		decision := moves.Decision{Run: moves.Range{Count: 2}, Routes: moves.ParseRoutes(test.routes)}
		budget := podDisruptionBudget(&Input{Memcached: memcached, Decision: decision}).(*policyv1.PodDisruptionBudget).Spec
		if diff := cmp.Diff([]*intstr.IntOrString{test.minAvailable, test.maxUnavailable}, []*intstr.IntOrString{budget.MinAvailable, budget.MaxUnavailable}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
