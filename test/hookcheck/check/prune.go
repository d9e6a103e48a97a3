package check

import (
	"maps"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/example/memcached-operator/webhook/render"
)

// store changes a custom resource as the API server does: it drops unknown fields, and sets defaults.
func (c *CRD) store(object map[string]any) {
	if len(c.Schema.Properties) == 0 {
		return // no schema, or a resource that was discovered
	}
	kept := map[string]any{}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if value, found := object[name]; found {
			kept[name] = value
			delete(object, name)
		}
	}
	prune(&c.Schema, object)
	maps.Copy(object, kept)
	render.SetDefaults(&c.Schema, object)
}

// prune drops the fields of a value that its schema does not have.
func prune(schema *spec.Schema, value any) {
	if preserves(schema) {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		more := schema.AdditionalProperties
		for name, member := range value {
			if property, known := schema.Properties[name]; known {
				prune(&property, member)
			} else if more != nil && more.Schema != nil {
				prune(more.Schema, member)
			} else if more == nil || !more.Allows {
				delete(value, name)
			}
		}
	case []any:
		for _, item := range value {
			if schema.Items != nil && schema.Items.Schema != nil {
				prune(schema.Items.Schema, item)
			}
		}
	}
}

// preserves reports whether the API server stores what the schema does not have.
func preserves(schema *spec.Schema) bool {
	unknown, _ := schema.Extensions.GetBool("x-kubernetes-preserve-unknown-fields")
	whole, _ := schema.Extensions.GetBool("x-kubernetes-embedded-resource")
	return unknown || whole
}
