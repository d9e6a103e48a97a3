package render

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// document is one parent as it stands in a file.
type document struct {
	file   string
	line   int // of the file at which the document starts, from 1
	root   *yamlv3.Node
	object map[string]any
}

// documents splits a file into its documents; empty ones are left out.
func documents(input Input) ([]document, error) {
	var found []document
	for _, part := range split(input.Content) {
		doc := document{file: input.Name, line: part.line, root: new(yamlv3.Node)}
		if err := yamlv3.Unmarshal(part.content, doc.root); err != nil {
			return nil, fmt.Errorf("%s, in the document at line %d: %w", input.Name, part.line, err)
		}
		if len(doc.root.Content) == 0 || doc.root.Content[0].Tag == "!!null" {
			continue
		}
		content, err := yaml.YAMLToJSONStrict(part.content)
		if err != nil {
			return nil, doc.errorAt("", fmt.Errorf("reading an object: %w", err))
		}
		if err := json.Unmarshal(content, &doc.object); err != nil {
			return nil, doc.errorAt("", fmt.Errorf("reading an object: %w", err))
		}
		if doc.kind() == list {
			found = append(found, doc.items()...)
			continue
		}
		found = append(found, doc)
	}
	return found, nil
}

// list is what kubectl get writes of several objects.
var list = schema.GroupVersionKind{Version: "v1", Kind: "List"}

// items are the documents of a list, each at the line at which it stands there.
func (d document) items() []document {
	nodes := childNode(d.root.Content[0], "items")
	items, _ := d.object["items"].([]any)
	var found []document
	for i, item := range items {
		item, _ := item.(map[string]any) // of no kind if it is no object
		root := &yamlv3.Node{Kind: yamlv3.DocumentNode, Content: []*yamlv3.Node{childNode(nodes, strconv.Itoa(i))}}
		found = append(found, document{file: d.file, line: d.line, root: root, object: item})
	}
	return found
}

type part struct {
	line    int
	content []byte
}

// split cuts a file at the lines that start with ---, as kubectl does.
func split(content []byte) []part {
	parts := []part{{line: 1}}
	line := 0
	for text := range bytes.Lines(content) {
		line++
		if bytes.HasPrefix(text, []byte("---")) {
			parts = append(parts, part{line: line + 1})
			continue
		}
		last := &parts[len(parts)-1]
		last.content = append(last.content, text...)
	}
	return parts
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

// errorAt says in which file and line the field of that path stands, or the nearest field around it.
func (d document) errorAt(path string, err error) error {
	line := d.line
	node := d.root.Content[0]
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

// childNode returns the value of a mapping's key or of a sequence's index.
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
