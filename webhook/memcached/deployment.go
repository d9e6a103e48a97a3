package memcached

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	defaultMinReadySeconds = 30

	// progressSeconds is how long a pod may take to become ready before a rollout counts as stuck: Kubernetes' default
	// for a Deployment without minReadySeconds.
	progressSeconds = 600
)

func (r *Rollout) minReadySeconds() int32 { return deref(r.MinReadySeconds, defaultMinReadySeconds) }

func (r *Rollout) maxSurge() intstr.IntOrString { return deref(r.MaxSurge, intstr.FromInt32(1)) }

func (r *Rollout) maxUnavailable() intstr.IntOrString {
	return deref(r.MaxUnavailable, intstr.FromInt32(0))
}

func deployment(memcached *Memcached, meta metav1.ObjectMeta, replicas int32, template corev1.PodTemplateSpec) *appsv1.Deployment {
	rollout := &memcached.Spec.Rollout
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: new(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: selectorLabels(memcached)},
			Template: template,
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge:       new(rollout.maxSurge()),
					MaxUnavailable: new(rollout.maxUnavailable()),
				},
			},
			MinReadySeconds:         rollout.minReadySeconds(),
			ProgressDeadlineSeconds: new(progressSeconds + rollout.minReadySeconds()),
		},
	}
}
