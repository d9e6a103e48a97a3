// Package v1 contains the API types of customimagedeploy.example.com/v1. Go clients can import it without the hooks.
//
// +kubebuilder:object:generate=true
// +groupName=customimagedeploy.example.com
// +versionName=v1
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// SchemeGroupVersion is the group and version of the types.
	SchemeGroupVersion = schema.GroupVersion{Group: "customimagedeploy.example.com", Version: "v1"}

	schemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(SchemeGroupVersion, &CustomImageDeploy{}, &CustomImageDeployList{})
		metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
		return nil
	})

	// AddToScheme adds the types to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)
