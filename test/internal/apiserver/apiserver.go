// Package apiserver is a model of how the API server stores objects of the built-in kinds.
package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	strictjson "sigs.k8s.io/json"
)

// Kinds has the built-in kinds that usual children have.
var Kinds = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, networkingv1.AddToScheme,
		policyv1.AddToScheme, rbacv1.AddToScheme, autoscalingv2.AddToScheme, admissionv1.AddToScheme, certificatesv1.AddToScheme,
		coordinationv1.AddToScheme, discoveryv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme)
	if err := builder.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}()

// clusterKinds has the built-in kinds without a namespace.
var clusterKinds = []string{
	"Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "StorageClass", "VolumeAttachment", "VolumeAttributesClass",
	"CSIDriver", "CSINode", "PriorityClass", "IngressClass", "IPAddress", "ServiceCIDR", "CertificateSigningRequest",
	"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
}

// IsCluster reports whether objects of a built-in kind have no namespace.
func IsCluster(kind schema.GroupVersionKind) bool {
	return Kinds.Recognizes(kind) && slices.Contains(clusterKinds, kind.Kind)
}

// Stored returns an object as the API server stores it: with the fields and the quantities of its Go type, and with defaults.
// It returns a custom resource as it is. The error is that of a field with a wrong type.
func Stored(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	typed, err := Kinds.New(object.GroupVersionKind())
	if err != nil {
		return object, nil
	}
	text, err := json.Marshal(object.Object)
	if err == nil {
		err = strictjson.UnmarshalCaseSensitivePreserveInts(text, typed)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	setDefaults(typed)
	if text, err = json.Marshal(typed); err != nil {
		return nil, err
	}
	result := &unstructured.Unstructured{}
	return result, result.UnmarshalJSON(text)
}
