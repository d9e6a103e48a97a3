package children

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ProgressDeadlineSeconds is how long a pod may take to become ready before the Deployment reports a failed rollout. It is
// the default of Kubernetes for a Deployment without minReadySeconds.
const ProgressDeadlineSeconds = 600

// MaxSurge returns a default that has no place in the CRD, because it depends on spec.workload. So does maxUnavailable.
func MaxSurge(rollout *v1alpha1.RolloutOptions) intstr.IntOrString {
	return ptr.Deref(rollout.MaxSurge, intstr.FromInt32(1))
}

// MaxUnavailable returns how many pods a rollout may make unavailable.
func MaxUnavailable(rollout *v1alpha1.RolloutOptions) intstr.IntOrString {
	return ptr.Deref(rollout.MaxUnavailable, intstr.FromInt32(0))
}

func deployment(in *Input) *appsv1.Deployment {
	memcached, rollout := in.Memcached, &in.Memcached.Spec.Rollout
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: objectMeta(memcached, workloadAnnotations(memcached, in.Template.Defaults)),
		Spec: appsv1.DeploymentSpec{
			Replicas: new(in.Decision.Ordinals.Count),
			Selector: &metav1.LabelSelector{MatchLabels: SelectorLabels(memcached)},
			Template: in.Template.PodTemplateSpec,
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge:       new(MaxSurge(rollout)),
					MaxUnavailable: new(MaxUnavailable(rollout)),
				},
			},
			MinReadySeconds:         *rollout.MinReadySeconds,
			ProgressDeadlineSeconds: new(ProgressDeadlineSeconds + *rollout.MinReadySeconds),
		},
	}
}
