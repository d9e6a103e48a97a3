package check

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/internal/apiserver"
)

// CRD is a version of a CustomResourceDefinition.
type CRD struct {
	Kind      schema.GroupVersionKind
	Plural    string
	Cluster   bool // whether objects have no namespace
	HasStatus bool // whether it has the status subresource
	Schema    spec.Schema
}

// CRDs are the versions of all CustomResourceDefinitions.
type CRDs []CRD

// Add adds the versions of a CustomResourceDefinition.
func (c CRDs) Add(document []byte) (CRDs, error) {
	var definition struct {
		Spec struct {
			Group, Scope string
			Names        struct{ Kind, Plural string }
			Versions     []struct {
				Name         string
				Subresources struct{ Status *struct{} }
				Schema       struct{ OpenAPIV3Schema spec.Schema }
			}
		}
	}
	if err := yaml.Unmarshal(document, &definition); err != nil {
		return nil, fmt.Errorf("decode a CRD: %w", err)
	}
	d := definition.Spec
	for _, v := range d.Versions {
		kind := schema.GroupVersionKind{Group: d.Group, Version: v.Name, Kind: d.Names.Kind}
		c = append(c, CRD{kind, d.Names.Plural, d.Scope == "Cluster", v.Subresources.Status != nil, v.Schema.OpenAPIV3Schema})
	}
	return c, nil
}

// Of returns the CRD of a kind; nil if there is none.
func (c CRDs) Of(kind schema.GroupVersionKind) *CRD {
	for i := range c {
		if c[i].Kind == kind {
			return &c[i]
		}
	}
	return nil
}

// KindOf returns the kind of a resource, which is that of a CRD or a built-in one.
func (c CRDs) KindOf(apiVersion, resource string) (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	for _, crd := range c {
		if crd.Plural == resource && crd.Kind.GroupVersion() == version {
			return crd.Kind, nil
		}
	}
	for kind := range apiserver.Kinds.KnownTypes(version) {
		plural, _ := meta.UnsafeGuessKindToResource(version.WithKind(kind))
		if plural.Resource == resource && resource != "" {
			return version.WithKind(kind), nil
		}
	}
	return schema.GroupVersionKind{}, fmt.Errorf("the resource %s of %s is not known: give its CRD", resource, apiVersion)
}
