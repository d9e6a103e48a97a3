package check

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/internal/apiserver"
)

// CRD is a version of a CustomResourceDefinition, or a resource that the API server has discovered.
type CRD struct {
	Kind      schema.GroupVersionKind
	Plural    string
	Cluster   bool // whether objects have no namespace
	HasStatus bool // whether it has the status subresource
	Schema    spec.Schema
}

// CRDs are the versions of all CustomResourceDefinitions, and what a hookcheck knows about kinds.
type CRDs []CRD

// Add adds the versions of a CustomResourceDefinition, or the resources of an APIResourceList, which is what the API server discovers.
// It ignores other documents.
func (c CRDs) Add(document []byte) (CRDs, error) {
	var definition struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta
		Spec            struct {
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
	switch {
	case definition.Kind == "APIResourceList":
		return c.addDiscovered(document)
	case definition.Kind != "CustomResourceDefinition":
		return c, nil
	case definition.APIVersion == "apiextensions.k8s.io/v1beta1":
		return nil, fmt.Errorf("the CRD %s has the version v1beta1, which Kubernetes 1.22 and later refuse: convert it to apiextensions.k8s.io/v1", definition.Metadata.Name)
	}
	d := definition.Spec
	for _, v := range d.Versions {
		kind := schema.GroupVersionKind{Group: d.Group, Version: v.Name, Kind: d.Names.Kind}
		c = append(c, CRD{kind, d.Names.Plural, d.Scope == "Cluster", v.Subresources.Status != nil, v.Schema.OpenAPIV3Schema})
	}
	return c, nil
}

func (c CRDs) addDiscovered(document []byte) (CRDs, error) {
	var discovered metav1.APIResourceList
	if err := yaml.Unmarshal(document, &discovered); err != nil {
		return nil, fmt.Errorf("decode an APIResourceList: %w", err)
	}
	for _, r := range discovered.APIResources {
		if kind := schema.FromAPIVersionAndKind(discovered.GroupVersion, r.Kind); !strings.Contains(r.Name, "/") && c.Of(kind) == nil {
			c = append(c, CRD{Kind: kind, Plural: r.Name, Cluster: !r.Namespaced, HasStatus: true})
		}
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

func (c CRDs) of(object any) *CRD {
	return c.Of(schema.FromAPIVersionAndKind(text(object, "apiVersion"), text(object, "kind")))
}

// isCluster reports whether objects of a kind have no namespace.
func (c CRDs) isCluster(kind schema.GroupVersionKind) bool {
	if crd := c.Of(kind); crd != nil {
		return crd.Cluster
	}
	return apiserver.IsCluster(kind)
}

// hasNoNamespace is isCluster for the kind of an object.
func (c CRDs) hasNoNamespace(object any) bool {
	return c.isCluster(schema.FromAPIVersionAndKind(text(object, "apiVersion"), text(object, "kind")))
}

// KindOf returns the kind of a resource, which is that of a CRD or a built-in one.
func (c CRDs) KindOf(apiVersion, resource string) (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	if resource == "" {
		return schema.GroupVersionKind{}, errors.New("a resource without a name")
	}
	for _, crd := range c {
		if crd.Plural == resource && crd.Kind.GroupVersion() == version {
			return crd.Kind, nil
		}
	}
	for kind := range apiserver.Kinds.KnownTypes(version) {
		if pluralOf(version.WithKind(kind)) == resource {
			return version.WithKind(kind), nil
		}
	}
	return schema.GroupVersionKind{}, fmt.Errorf("the resource %s of %s is not known: add its CRD to --crds, or what "+
		"kubectl get --raw prints for /apis/%[2]s", resource, apiVersion)
}

// pluralOf returns the resource of a built-in kind, all of which have regular names.
func pluralOf(kind schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural.Resource
}
