package resources

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deployment returns a Deployment with the name of its parent. The selector is a subset of the labels, and is immutable.
func Deployment(parent metav1.Object, replicas *int32, selector, labels map[string]string, pod corev1.PodSpec) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        parent.GetName(),
			Namespace:   parent.GetNamespace(),
			Labels:      labels,
			Annotations: ParentGeneration(parent),
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: replicas,
			Selector: &metav1.LabelSelector{MatchLabels: selector},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: HardenedPod(pod)},
		},
	}
}
