package children

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// statefulSet returns a StatefulSet, whose pods keep their names. Pods start and terminate in parallel, because they do not
// depend on each other. A rollout replaces one pod after the other. The partition is explicit, so that one that was set manually does not
// last.
func statefulSet(in *Input) *appsv1.StatefulSet {
	memcached := in.Memcached
	return &appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: objectMeta(memcached, workloadAnnotations(memcached, in.Template.Defaults)),
		Spec: appsv1.StatefulSetSpec{
			Replicas:            new(in.Decision.Ordinals.Count),
			Ordinals:            &appsv1.StatefulSetOrdinals{Start: in.Decision.Ordinals.First},
			Selector:            &metav1.LabelSelector{MatchLabels: SelectorLabels(memcached)},
			Template:            in.Template.PodTemplateSpec,
			ServiceName:         memcached.Name,
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
				Type:          appsv1.RollingUpdateStatefulSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(in.Decision.Partition)},
			},
			MinReadySeconds: *memcached.Spec.Rollout.MinReadySeconds,
		},
	}
}
