package memcached

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// progressSeconds is how long a pod may take to become ready before the Deployment reports a rollout as stuck: the default of
// Kubernetes for a Deployment without minReadySeconds.
const progressSeconds = 600

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
					MaxSurge:       new(maxSurge(rollout)),
					MaxUnavailable: new(maxUnavailable(rollout)),
				},
			},
			MinReadySeconds:         minReadySeconds(rollout),
			ProgressDeadlineSeconds: new(progressSeconds + minReadySeconds(rollout)),
		},
	}
}
