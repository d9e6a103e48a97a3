package render

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/example/memcached-operator/crds"
	"github.com/example/memcached-operator/webhook/text"
)

// schemas returns the schemas of all kinds of parents. It reads the CRDs only once, because this takes longer than a sync.
var schemas = sync.OnceValues(crds.Schemas[*spec.Schema])

// check validates the document by the schema.
func (d document) check(crdSchema *spec.Schema) error {
	var errs []error
	for _, err := range Problems(crdSchema, d.object, "") {
		message := strings.Replace(err.Error(), " in body ", " ", 1)
		errs = append(errs, d.errorOf(errors.New(text.Printable(message, maxProblem)))) // contains keys and values
	}
	return errors.Join(errs...)
}

// Problems validates a value by the schema, with the messages of the API server, and refuses unknown fields as kubectl
// does. It does not evaluate CEL rules; the hooks repeat those that protect children.
func Problems(crdSchema *spec.Schema, value any, path string) []error {
	validated := validate.NewSchemaValidator(crdSchema, nil, path, strfmt.Default).Validate(value)
	return append(unknownFields(crdSchema, value, path), validated.Errors...)
}

// ruledFields calls found with the path of each field of a value that has CEL rules. Those of the whole object read its metadata.
func ruledFields(crdSchema *spec.Schema, value any, path string, found func(path string)) {
	if _, ruled := crdSchema.Extensions["x-kubernetes-validations"]; ruled {
		found(cmp.Or(path, "metadata"))
	}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if property, ok := crdSchema.Properties[name]; ok {
				ruledFields(&property, member, join(path, name), found)
			} else if property := propertyOf(crdSchema, name); property != nil {
				ruledFields(property, member, path+"[]", found) // the key can be any text
			}
		}
	case []any:
		for _, element := range value {
			if crdSchema.Items != nil && crdSchema.Items.Schema != nil {
				ruledFields(crdSchema.Items.Schema, element, path+"[]", found)
			}
		}
	}
}

func unknownFields(crdSchema *spec.Schema, value any, path string) []error {
	if preserve, _ := crdSchema.Extensions.GetBool("x-kubernetes-preserve-unknown-fields"); preserve {
		return nil
	}
	var errs []error
	switch value := value.(type) {
	case map[string]any:
		if len(crdSchema.Properties) == 0 {
			return nil // a map, or metadata
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			property, known := crdSchema.Properties[name]
			if !known {
				errs = append(errs, fmt.Errorf("unknown field %q", text.Value(join(path, name))))
				continue
			}
			errs = append(errs, unknownFields(&property, value[name], join(path, name))...)
		}
	case []any:
		if crdSchema.Items == nil || crdSchema.Items.Schema == nil {
			return nil
		}
		for i, element := range value {
			errs = append(errs, unknownFields(crdSchema.Items.Schema, element, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return errs
}

// SetDefaults changes a value as the API server does before it stores the value: it drops nulls of fields that are not
// nullable, and sets the defaults of the schema.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
func SetDefaults(crdSchema *spec.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if property := propertyOf(crdSchema, name); member == nil && property != nil && !property.Nullable {
				delete(value, name)
			}
		}
		for name, property := range crdSchema.Properties {
			if _, set := value[name]; !set && property.Default != nil {
				value[name] = runtime.DeepCopyJSONValue(property.Default)
			}
		}
		for name, member := range value {
			if property := propertyOf(crdSchema, name); property != nil {
				SetDefaults(property, member)
			}
		}
	case []any:
		for _, element := range value {
			if crdSchema.Items != nil && crdSchema.Items.Schema != nil {
				SetDefaults(crdSchema.Items.Schema, element)
			}
		}
	}
}

// propertyOf returns the schema of a member of an object; nil when there is none.
func propertyOf(crdSchema *spec.Schema, name string) *spec.Schema {
	if property, ok := crdSchema.Properties[name]; ok {
		return &property
	}
	if crdSchema.AdditionalProperties != nil {
		return crdSchema.AdditionalProperties.Schema
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
