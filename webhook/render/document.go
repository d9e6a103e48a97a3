package render

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// document is one object of a file.
type document struct {
	file   string
	line   int // the line of the file at which the document starts, from 1
	object map[string]any
}

// The limits of a file. A cache of 150 bytes needs 30 kB with its children, and a YAML parser a hundred times the size of {},{}.
const (
	maxBytes   = 8 << 20
	maxObjects = 10_000
)

// documents returns the objects of a file in their order, including the items of lists. It skips empty documents.
func documents(input Input) ([]document, error) {
	if len(input.Content) > maxBytes {
		return nil, fmt.Errorf("%s has more than %d bytes: split it", input.Name, maxBytes)
	}
	tooMany := fmt.Errorf("%s has more than %d objects: split it", input.Name, maxObjects)
	parts, err := split(input)
	if err != nil {
		return nil, err
	}
	if len(parts) > maxObjects {
		return nil, tooMany
	}
	var found []document
	for _, each := range parts {
		doc, err := parse(input.Name, each)
		if err != nil {
			return nil, err
		}
		if doc == nil {
			continue
		}
		objects, err := doc.flatten()
		if err != nil {
			return nil, err
		}
		if found = append(found, objects...); len(found) > maxObjects {
			return nil, tooMany
		}
	}
	return found, nil
}

// parse returns the document of a part; nil when it is empty.
func parse(file string, text part) (*document, error) {
	doc := &document{file: file, line: text.line}
	var root yamlv3.Node
	decoder := yamlv3.NewDecoder(bytes.NewReader(text.content))
	err := decoder.Decode(&root)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		err = atEnd(decoder)
	}
	if err != nil {
		return nil, doc.errorOf(err)
	}
	if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
		return nil, nil
	}
	content, err := yaml.YAMLToJSONStrict(text.content)
	if err != nil {
		return nil, doc.errorOf(fmt.Errorf("reading an object: %w", err))
	}
	if err := json.Unmarshal(content, &doc.object); err != nil {
		return nil, doc.errorOf(fmt.Errorf("reading an object: %w", err))
	}
	return doc, nil
}

// atEnd refuses content after the end of a document (...), which kubectl skips without a message.
func atEnd(decoder *yamlv3.Decoder) error {
	err := decoder.Decode(new(yamlv3.Node))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return cmp.Or(err, errors.New("another document must start after a line ---"))
}

func (d document) kind() schema.GroupVersionKind {
	apiVersion, _ := d.object["apiVersion"].(string)
	kind, _ := d.object["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

func (d document) metadata(field string) string {
	metadata, _ := d.object["metadata"].(map[string]any)
	value, _ := metadata[field].(string)
	return value
}

// errorOf adds the file and the object to an error, or the line of a document without a name.
func (d document) errorOf(err error) error {
	name := d.metadata("name")
	if name == "" {
		return fmt.Errorf("%s, in the document at line %d: %w", d.file, d.line, err)
	}
	if namespace := d.metadata("namespace"); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Errorf("%s, %s: %w", d.file, strings.TrimSpace(d.kind().Kind+" "+name), err)
}
