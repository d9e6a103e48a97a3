package render

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/crds"
)

// definition is the part of a CustomResourceDefinition that says what a parent may look like.
type definition struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema *spec.Schema `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// schemas returns the schema of every kind of parent.
func schemas() (map[schema.GroupVersionKind]*spec.Schema, error) {
	found := map[schema.GroupVersionKind]*spec.Schema{}
	err := fs.WalkDir(crds.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := crds.Files.ReadFile(path)
		if err != nil {
			return err
		}
		var crd definition
		if err := yaml.Unmarshal(content, &crd); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		for _, version := range crd.Spec.Versions {
			kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
			found[kind] = version.Schema.OpenAPIV3Schema
		}
		return nil
	})
	return found, err
}

// check refuses what the API server would refuse by the schema, in its words, and with kubectl's strictness about
// unknown fields. Rules in CEL are not evaluated; the hooks repeat them in Go.
func (d document) check(schema *spec.Schema) error {
	errs := d.unknownFields(schema, d.object, "")
	result := validate.NewSchemaValidator(schema, nil, "", strfmt.Default).Validate(d.object)
	for _, err := range result.Errors {
		path := ""
		if invalid, ok := errors.AsType[*openapierrors.Validation](err); ok {
			path = invalid.Name
		}
		errs = append(errs, d.errorAt(path, err))
	}
	return errors.Join(errs...)
}

func (d document) unknownFields(schema *spec.Schema, value any, path string) []error {
	if preserve, _ := schema.Extensions.GetBool("x-kubernetes-preserve-unknown-fields"); preserve {
		return nil
	}
	var errs []error
	switch value := value.(type) {
	case map[string]any:
		if len(schema.Properties) == 0 {
			return nil // a map, or the metadata that every kind has
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			property, known := schema.Properties[name]
			if !known {
				errs = append(errs, d.errorAt(join(path, name), fmt.Errorf("unknown field %q", join(path, name))))
				continue
			}
			errs = append(errs, d.unknownFields(&property, value[name], join(path, name))...)
		}
	case []any:
		if schema.Items == nil || schema.Items.Schema == nil {
			return nil
		}
		for i, element := range value {
			errs = append(errs, d.unknownFields(schema.Items.Schema, element, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return errs
}

// setDefaults makes of a value what the API server stores of it: without a null where the schema allows none, and with the
// defaults of the schema.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
func setDefaults(schema *spec.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if property := propertyOf(schema, name); member == nil && property != nil && !property.Nullable {
				delete(value, name)
			}
		}
		for name, property := range schema.Properties {
			if _, set := value[name]; !set && property.Default != nil {
				value[name] = runtime.DeepCopyJSONValue(property.Default)
			}
		}
		for name, member := range value {
			if property := propertyOf(schema, name); property != nil {
				setDefaults(property, member)
			}
		}
	case []any:
		for _, element := range value {
			if schema.Items != nil && schema.Items.Schema != nil {
				setDefaults(schema.Items.Schema, element)
			}
		}
	}
}

// propertyOf returns the schema of a member of an object, or nil.
func propertyOf(schema *spec.Schema, name string) *spec.Schema {
	if property, ok := schema.Properties[name]; ok {
		return &property
	}
	if schema.AdditionalProperties != nil {
		return schema.AdditionalProperties.Schema
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
