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

func (o options) readController() (map[string]any, error) {
	var controller map[string]any
	err := read(o.controller, func(_ string, document map[string]any) error {
		if document["kind"] == "CompositeController" && controller != nil {
			return errors.New("a second CompositeController: hookcheck checks one")
		}
		if document["kind"] == "CompositeController" {
			controller = document
		}
		return nil
	}, ".yaml", ".yml")
	if err == nil && controller == nil {
		err = fmt.Errorf("%s has no CompositeController", o.controller)
	}
	return controller, err
}

// readCRDs returns the CRDs as they are, and decoded.
func (o options) readCRDs() (definitions []map[string]any, crds check.CRDs, err error) {
	err = read(o.crds, func(_ string, document map[string]any) error {
		if document["kind"] != "CustomResourceDefinition" {
			return nil
		}
		definitions = append(definitions, document)
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
