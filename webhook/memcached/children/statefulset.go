package children

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// statefulSet returns a StatefulSet, whose pods keep their names. Pods start and terminate in parallel, because they do not
// depend on each other. A rollout replaces one pod after the other.
func statefulSet(memcached *v1alpha1.Memcached, p Plan) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: objectMeta(memcached, workloadAnnotations(memcached, p)),
		Spec: appsv1.StatefulSetSpec{
			Replicas:            new(p.Sets[p.Set].Replicas),
			Selector:            &metav1.LabelSelector{MatchLabels: setLabels(SelectorLabels(memcached), p.Set)},
			Template:            PodTemplate(memcached, p),
			ServiceName:         memcached.Name,
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.RollingUpdateStatefulSetStrategyType,
				// The default is explicit, so that a partition that was set manually does not block a rollout.
				RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(0))},
			},
			MinReadySeconds: *memcached.Spec.Rollout.MinReadySeconds,
		},
	}
	set.Name = StatefulSetName(memcached, p.Set)
	if p.Kept != nil {
		set.Spec.Template = p.Kept.Template
	}
	return set
}

// StatefulSetName returns the name of the StatefulSet of a set. Both StatefulSets have the headless Service of the first one.
func StatefulSetName(memcached *v1alpha1.Memcached, set scaling.Set) string {
	return memcached.Name + set.Suffix()
}
