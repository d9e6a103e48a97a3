// Package crds has the CustomResourceDefinitions of all parents, which controller-gen generates from their types (make generate).
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Files are the CRDs, each in a directory with the name of its controller.
//
//go:embed */*_*.yaml
var Files embed.FS

// definition is the part of a CRD that has the schemas of its versions.
type definition[S any] struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema S `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// Schemas returns the schemas of all kinds of parents, decoded into S.
func Schemas[S any]() (map[schema.GroupVersionKind]S, error) {
	found := map[schema.GroupVersionKind]S{}
	err := fs.WalkDir(Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := Files.ReadFile(path)
		if err != nil {
			return err
		}
		var crd definition[S]
		if err := yaml.Unmarshal(content, &crd); err != nil {
			return fmt.Errorf("decode %s: %w", path, err)
		}
		for _, version := range crd.Spec.Versions {
			kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
			found[kind] = version.Schema.OpenAPIV3Schema
		}
		return nil
	})
	return found, err
}
