// Package v1alpha1 contains the API types of proxy.example.com/v1alpha1. Go clients can import it without the hooks.
//
// +kubebuilder:object:generate=true
// +groupName=proxy.example.com
// +versionName=v1alpha1
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// SchemeGroupVersion is the group and version of the types.
	SchemeGroupVersion = schema.GroupVersion{Group: "proxy.example.com", Version: "v1alpha1"}

	schemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(SchemeGroupVersion, &Nginx{}, &NginxList{})
		metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
		return nil
	})

	// AddToScheme adds the types to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)
