package children

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPodDisruptionBudget(t *testing.T) {
	none, one, two, three, half := intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromInt32(3), intstr.FromString("50%")
	cases := []struct {
		reason                       string
		spec                         v1alpha1.PodDisruptionBudget
		routes                       string
		stuck                        int32
		minAvailable, maxUnavailable *intstr.IntOrString
	}{
		{"by default one pod may be unavailable", v1alpha1.PodDisruptionBudget{}, "0-1", 0, nil, &one},
		{"minAvailable replaces the default of maxUnavailable", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, "", 0, &half, nil},
		{"with proxies, minAvailable is of the size, also while twice as many pods run", v1alpha1.PodDisruptionBudget{MinAvailable: &one}, "0-1_2-3_warming", 0, nil, &one},
		{"half of the size, with a pod that does not end", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, "0-1.0", 1, nil, &two},
		{"more than the size", v1alpha1.PodDisruptionBudget{MinAvailable: &three}, "0-1_2-3_warming", 0, nil, &none},
		{"maxUnavailable is set", v1alpha1.PodDisruptionBudget{MaxUnavailable: &half}, "0-1", 0, nil, &half},
		{"a slot moves to the spare", v1alpha1.PodDisruptionBudget{MinAvailable: &half}, "0-1_0-1.0_announcing", 0, nil, &none},
		{"the spare serves, and the server that was deleted may be ready again", v1alpha1.PodDisruptionBudget{}, "0-1.0", 0, nil, &none},
		{"the server that has started again gets its items back", v1alpha1.PodDisruptionBudget{}, "0-1.0_0-1_warming", 0, nil, &none},
		{"a pod that does not end is not available, and not needed", v1alpha1.PodDisruptionBudget{}, "0-1.0", 1, nil, &two},
		{"half of the others may be unavailable too", v1alpha1.PodDisruptionBudget{MaxUnavailable: &half}, "0-1.0", 1, nil, &two},
		{"all others and more may be unavailable", v1alpha1.PodDisruptionBudget{MaxUnavailable: new(intstr.FromInt32(math.MaxInt32))}, "0-1.0", 1, nil, &three},
		{"so is a former spare", v1alpha1.PodDisruptionBudget{}, "0-1.0-1", 2, nil, &three},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.PodDisruptionBudget = test.spec
		if test.routes != "" {
			memcached.Spec.Proxy = &v1alpha1.Proxy{}
		}
		decision := moves.Decision{Ordinals: moves.Range{Count: 2 + test.stuck}, Routes: moves.ParseRoutes(test.routes), StuckServers: test.stuck}
		budget := podDisruptionBudget(&Input{Memcached: memcached, Decision: decision}).(*policyv1.PodDisruptionBudget).Spec
		if diff := cmp.Diff([]*intstr.IntOrString{test.minAvailable, test.maxUnavailable}, []*intstr.IntOrString{budget.MinAvailable, budget.MaxUnavailable}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
