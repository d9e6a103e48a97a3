package crds

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"sigs.k8s.io/yaml"
)

// JSONSchemas returns a strict JSON schema of each kind by its file name, for example memcached_v1alpha1.json. Editors and
// kubeconform use them.
func JSONSchemas() (map[string][]byte, error) {
	schemas := map[string][]byte{}
	err := fs.WalkDir(Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := Files.ReadFile(path)
		if err != nil {
			return err
		}
		if err := addSchemas(schemas, content); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return nil
	})
	return schemas, err
}

// addSchemas adds the schema of each version of a CRD.
func addSchemas(schemas map[string][]byte, content []byte) error {
	var crd struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(content, &crd); err != nil {
		return err
	}
	for _, version := range crd.Spec.Versions {
		schema := version.Schema.OpenAPIV3Schema
		refuseUnknown(schema)
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		maps.Copy(properties, map[string]any{
			"apiVersion": map[string]any{"const": crd.Spec.Group + "/" + version.Name},
			"kind":       map[string]any{"const": crd.Spec.Names.Kind},
		})
		schema["required"] = append(required, "apiVersion", "kind", "metadata")
		schema["$schema"] = "http://json-schema.org/draft-07/schema#"
		encoded, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return err
		}
		schemas[strings.ToLower(crd.Spec.Names.Kind)+"_"+version.Name+".json"] = append(encoded, '\n')
	}
	return nil
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
