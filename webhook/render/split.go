package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// part is a piece of a file with one document, and the line at which it starts, from 1.
type part struct {
	line    int
	content []byte
}

// split cuts a file as kubectl does: a stream of JSON objects between the objects, and YAML at separator lines.
func split(input Input) ([]part, error) {
	if parts, ok := splitJSON(input.Content); ok {
		return parts, nil
	}
	unread := bytes.NewReader(input.Content)
	buffer := bufio.NewReader(unread)
	reader := utilyaml.NewYAMLReader(buffer)
	var parts []part
	for line := 1; ; {
		content, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil { // about the line that was read last
			read := input.Content[:len(input.Content)-unread.Len()-buffer.Buffered()]
			return nil, fmt.Errorf("%s:%d: %w", input.Name, 1+bytes.Count(bytes.TrimSuffix(read, []byte("\n")), []byte("\n")), err)
		}
		parts = append(parts, part{line: line, content: content})
		line += bytes.Count(content, []byte("\n")) + 1 // the reader drops the separator after a document
	}
}

// splitJSON returns the objects of a stream of JSON; false when the content is not JSON from beginning to end.
func splitJSON(content []byte) ([]part, bool) {
	var parts []part
	for decoder := json.NewDecoder(bytes.NewReader(content)); ; {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return parts, true
		}
		if err != nil {
			return nil, false
		}
		start := int(decoder.InputOffset()) - len(value)
		parts = append(parts, part{line: 1 + bytes.Count(content[:start], []byte("\n")), content: value})
	}
}
