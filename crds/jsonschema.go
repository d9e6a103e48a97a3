package crds

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// JSONSchemas returns a strict JSON schema of each kind by its file name, for example memcached_v1alpha1.json. Editors and
// kubeconform use them.
func JSONSchemas() (map[string][]byte, error) {
	schemas, err := Schemas[map[string]any]()
	if err != nil {
		return nil, err
	}
	encoded := map[string][]byte{}
	for kind, schema := range schemas {
		refuseUnknown(schema)
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		maps.Copy(properties, map[string]any{
			"apiVersion": map[string]any{"const": kind.GroupVersion().String()},
			"kind":       map[string]any{"const": kind.Kind},
		})
		schema["required"] = append(required, "apiVersion", "kind", "metadata")
		schema["$schema"] = "http://json-schema.org/draft-07/schema#"
		content, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encode the schema of %s: %w", kind, err)
		}
		encoded[strings.ToLower(kind.Kind)+"_"+kind.Version+".json"] = append(content, '\n')
	}
	return encoded, nil
}

// refuseUnknown makes a schema and the schemas below it refuse fields that they do not list. The API server drops such fields,
// so a misspelled field would have no effect.
func refuseUnknown(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	if properties != nil {
		schema["additionalProperties"] = false
	}
	for _, property := range properties {
		refuseUnknown(property.(map[string]any))
	}
	for _, below := range []string{"items", "additionalProperties"} {
		if elements, ok := schema[below].(map[string]any); ok {
			refuseUnknown(elements)
		}
	}
}
