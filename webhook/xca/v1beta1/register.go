// Package v1beta1 contains the API types of apps.xca.k8s.kb.cx/v1beta1. Go clients can import it without the hooks.
//
// +kubebuilder:object:generate=true
// +groupName=apps.xca.k8s.kb.cx
// +versionName=v1beta1
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// SchemeGroupVersion is the group and version of the types.
	SchemeGroupVersion = schema.GroupVersion{Group: "apps.xca.k8s.kb.cx", Version: "v1beta1"}

	schemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(SchemeGroupVersion, &Xca{}, &XcaList{})
		metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
		return nil
	})

	// AddToScheme adds the types to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)
