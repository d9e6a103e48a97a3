package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// read calls each with the documents of all files with the endings in a file or directory.
func read(path string, each func(file string, document map[string]any) error, endings ...string) error {
	if path == "" {
		return nil
	}
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != path && !slices.Contains(endings, filepath.Ext(file)) {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
			var document map[string]any
			if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			documents := []any{document}
			if items, isList := document["items"].([]any); isList { // of kubectl get
				documents = items
			}
			for _, one := range documents {
				if object, _ := one.(map[string]any); object != nil {
					if err := each(file, object); err != nil {
						return fmt.Errorf("%s: %w", file, err)
					}
				}
			}
		}
	})
}

func metadataName(document map[string]any) string {
	metadata, _ := document["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

func (o options) readController() (map[string]any, error) {
	var controller map[string]any
	var names, decorators []string
	err := read(o.controller, func(_ string, document map[string]any) error {
		name := metadataName(document)
		if document["kind"] == "CompositeController" && (o.name == "" || o.name == name) {
			controller = document
			names = append(names, name)
		} else if document["kind"] == "DecoratorController" {
			decorators = append(decorators, name)
		}
		return nil
	}, ".yaml", ".yml", ".json")
	switch {
	case err != nil:
	case len(names) > 1:
		err = fmt.Errorf("%s has the CompositeControllers %s: choose one with --name", o.controller, strings.Join(names, ", "))
	case controller == nil && len(decorators) > 0:
		err = fmt.Errorf("%s has the DecoratorController %s: hookcheck checks CompositeControllers only", o.controller, strings.Join(decorators, ", "))
	case controller == nil:
		err = fmt.Errorf("%s has no CompositeController %s", o.controller, o.name)
	}
	return controller, err
}

// readCRDs returns the CRDs as they are, and decoded.
func (o options) readCRDs() (definitions []map[string]any, crds check.CRDs, err error) {
	err = read(o.crds, func(_ string, document map[string]any) error {
		if document["kind"] == "CustomResourceDefinition" {
			definitions = append(definitions, document)
		}
		text, err := json.Marshal(document)
		if err == nil {
			crds, err = crds.Add(text)
		}
		return err
	}, ".yaml", ".yml", ".json")
	return definitions, crds, err
}

func (o options) readSamples() (objects []map[string]any, err error) {
	err = read(o.samples, func(_ string, document map[string]any) error {
		objects = append(objects, document)
		return nil
	}, ".yaml", ".yml", ".json")
	return objects, err
}

// cases returns the requests of the files, and those about the samples.
func (o options) cases(s *check.Subject, controller map[string]any, samples []map[string]any) ([]check.Case, error) {
	var cases []check.Case
	err := read(o.requests, func(file string, document map[string]any) error {
		if document["parent"] == nil {
			return nil // a response
		}
		name, hook := strings.TrimPrefix(file, o.requests+"/"), "sync"
		if document["finalizing"] == true {
			hook = "finalize"
		} else if document["children"] == nil {
			hook = "customize"
		}
		cases = append(cases, check.Case{Name: name, Hook: hook, Request: document})
		return nil
	}, ".json")
	if err != nil {
		return nil, err
	}
	parents, others, err := s.Parents(controller, samples)
	if err != nil {
		return nil, err
	}
	for _, parent := range parents {
		about, err := s.FromSample(controller, parent, others)
		if err != nil {
			return nil, err
		}
		cases = append(cases, about...)
	}
	return cases, nil
}
