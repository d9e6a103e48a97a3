package render

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/text"
)

// document is one object of a file.
type document struct {
	file   string
	number int // of the YAML document in the file, from 1
	object map[string]any
}

// MaxBytes is the size of the largest file. A YAML parser needs a hundred times the size of {},{}.
const MaxBytes = 8 << 20

// maxObjects is the number of objects in a file. A cache of 150 bytes needs 30 kB with its children.
const maxObjects = 10_000

// maxProblem is the length in bytes of the longest error of a library.
const maxProblem = 1000

// documents returns the objects of a file in their order, including the items of lists. It skips empty documents.
func documents(input Input) ([]document, error) {
	if len(input.Content) > MaxBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes. Split the file", input.Name, MaxBytes)
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(input.Content)))
	var found []document
	for doc := (document{file: input.Name, number: 1}); ; doc.number++ {
		content, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, doc.errorOf(yamlError(err))
		}
		objects, err := doc.parse(content)
		if err != nil {
			return nil, doc.errorOf(err)
		}
		if found = append(found, objects...); len(found) > maxObjects || doc.number > maxObjects {
			return nil, fmt.Errorf("%s contains more than %d objects. Split the file", input.Name, maxObjects)
		}
	}
}

// parse returns the object of a text, or the items of a list, which kubectl get writes.
func (d document) parse(yamlText []byte) ([]document, error) {
	decoder := yamlv3.NewDecoder(bytes.NewReader(yamlText))
	if decoder.Decode(new(yamlv3.Node)) == nil && !errors.Is(decoder.Decode(new(yamlv3.Node)), io.EOF) {
		return nil, errors.New("a second document must start after a line ---") // kubectl skips it without a message
	}
	content, err := ObjectJSON(yamlText)
	if err != nil {
		return nil, err
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(content, &object.Object); err != nil || object.Object == nil {
		return nil, err
	}
	if !object.IsList() || !strings.HasSuffix(object.GetKind(), "List") {
		return []document{{d.file, d.number, object.Object}}, nil
	}
	var items []document
	err = object.EachListItem(func(item runtime.Object) error {
		items = append(items, document{d.file, d.number, item.(*unstructured.Unstructured).Object})
		return nil
	})
	if err != nil {
		return nil, errors.New("an item of the list is not an object")
	}
	return items, nil
}

// ObjectJSON returns the JSON of a YAML text that is an object or null. Errors are about YAML, and not about Go.
func ObjectJSON(yamlText []byte) ([]byte, error) {
	var node yamlv3.Node
	err := yamlv3.Unmarshal(yamlText, &node)
	if err == nil && bytesWithAliases(&node, map[*yamlv3.Node]int{}) > MaxBytes {
		return nil, fmt.Errorf("with its aliases, the YAML has more than %d bytes", MaxBytes)
	}
	var content []byte
	if err == nil { // otherwise the other library can ignore what follows the object
		content, err = yaml.YAMLToJSONStrict(yamlText)
	}
	if err != nil {
		return nil, yamlError(err)
	}
	if content[0] != '{' && string(content) != "null" {
		return nil, errors.New("it is not an object with apiVersion and kind")
	}
	return content, nil
}

// yamlError returns the error of a library, which may quote the text.
func yamlError(err error) error {
	return fmt.Errorf("the YAML is invalid: %s", text.Printable(strings.TrimPrefix(err.Error(), "yaml: "), maxProblem))
}

// bytesWithAliases returns the size of all values of a node, with each alias replaced by its value. A megabyte of YAML can become gigabytes.
func bytesWithAliases(node *yamlv3.Node, known map[*yamlv3.Node]int) (size int) {
	if size, ok := known[node]; ok {
		return size
	}
	known[node] = 0 // an alias of itself, which is an error later
	size = len(node.Value)
	if node.Alias != nil {
		size = bytesWithAliases(node.Alias, known)
	}
	for _, child := range node.Content {
		size = min(size+bytesWithAliases(child, known), MaxBytes+1)
	}
	known[node] = size
	return size
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

// errorOf adds the file and the object to an error, or the number of a document without a name.
func (d document) errorOf(err error) error {
	name := d.metadata("name")
	if name == "" {
		return fmt.Errorf("%s, document %d: %w", d.file, d.number, err)
	}
	if namespace := d.metadata("namespace"); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Errorf("%s, %s: %w", d.file, text.Value(strings.TrimSpace(d.kind().Kind+" "+name)), err)
}
