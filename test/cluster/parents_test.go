package cluster

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	customImageDeployKind = schema.GroupVersionKind{Group: "customimagedeploy.example.com", Version: "v1", Kind: "CustomImageDeploy"}
	ingressKind           = networkingv1.SchemeGroupVersion.WithKind("Ingress")
	serviceKind           = corev1.SchemeGroupVersion.WithKind("Service")
	statefulSetKind       = appsv1.SchemeGroupVersion.WithKind("StatefulSet")
	jobKind               = batchv1.SchemeGroupVersion.WithKind("Job")
	budgetKind            = policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")
	policyKind            = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
	deploymentKind        = appsv1.SchemeGroupVersion.WithKind("Deployment")
)

// newCustomImageDeploy creates the CustomImageDeploy shop and waits until it is ready.
func newCustomImageDeploy(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	apply(t, namespace, `
apiVersion: customimagedeploy.example.com/v1
kind: CustomImageDeploy
metadata: {name: shop}
spec: {image: "nginxinc/nginx-unprivileged:1.30.4-alpine", port: 8080}`)
	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "customimagedeploy/shop", "--timeout", waitTimeout.String())
	return get(t, customImageDeployKind, namespace, "shop")
}
