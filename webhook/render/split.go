package render

import (
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

// split cuts a file as kubectl does: a stream of JSON objects between these, and YAML at the lines that start with ---.
//
// k8s.io/apimachinery/pkg/util/yaml has a reader of YAML documents, but does not say at which lines they are.
func split(input Input) ([]part, error) {
	if parts, ok := splitJSON(input.Content); ok {
		return parts, nil
	}
	parts := []part{{line: 1}}
	line := 0
	for text := range bytes.Lines(input.Content) {
		line++
		if after, isSeparator := bytes.CutPrefix(text, []byte("---")); isSeparator {
			if after = bytes.TrimSpace(after); len(after) > 0 && after[0] != '#' {
				return nil, fmt.Errorf("%s:%d: invalid document separator: only a comment may follow ---, not %.40q", input.Name, line, after)
			}
			parts = append(parts, part{line: line + 1})
			continue
		}
		last := &parts[len(parts)-1]
		last.content = append(last.content, text...)
	}
	return parts, nil
}

// splitJSON returns false for what is not JSON from beginning to end.
func splitJSON(content []byte) ([]part, bool) {
	if !utilyaml.IsJSONBuffer(content) {
		return nil, false
	}
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
