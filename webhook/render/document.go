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
	root   *yamlv3.Node
	object map[string]any
}

// documents returns the objects of a file in their order, including the items of lists. It skips empty documents.
func documents(input Input) ([]document, error) {
	parts, err := split(input)
	if err != nil {
		return nil, err
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
		found = append(found, objects...)
	}
	return found, nil
}

// parse returns the document of a part; nil when it is empty.
func parse(file string, text part) (*document, error) {
	doc := &document{file: file, line: text.line, root: new(yamlv3.Node)}
	decoder := yamlv3.NewDecoder(bytes.NewReader(text.content))
	err := decoder.Decode(doc.root)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		err = atEnd(decoder)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, in the document at line %d: %w", file, text.line, err)
	}
	if len(doc.root.Content) == 0 || doc.root.Content[0].Tag == "!!null" {
		return nil, nil
	}
	content, err := yaml.YAMLToJSONStrict(text.content)
	if err != nil {
		return nil, doc.errorAt("", fmt.Errorf("reading an object: %w", err))
	}
	if err := json.Unmarshal(content, &doc.object); err != nil {
		return nil, doc.errorAt("", fmt.Errorf("reading an object: %w", err))
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

// errorAt adds the file and the line of the field at the path, or of its nearest parent, to an error.
func (d document) errorAt(path string, err error) error {
	node := d.root.Content[0]
	line := d.line + node.Line - 1
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		child := childNode(node, name)
		if child == nil {
			break
		}
		node = child
		line = d.line + node.Line - 1
	}
	return fmt.Errorf("%s:%d: %w", d.file, line, err)
}

// childNode returns the value at a key of a mapping or at an index of a sequence; nil when there is none.
func childNode(node *yamlv3.Node, name string) *yamlv3.Node {
	if node != nil && node.Kind == yamlv3.AliasNode {
		node = node.Alias
	}
	if node == nil {
		return nil
	}
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				return node.Content[i+1]
			}
		}
	case yamlv3.SequenceNode:
		var index int
		if _, err := fmt.Sscanf(name, "%d", &index); err == nil && index < len(node.Content) {
			return node.Content[index]
		}
	}
	return nil
}
