package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/text"
)

// YAML returns the objects as YAML documents. An object with a character that is not [printable] is written like JSON, because only some
// strings of YAML can have escapes.
func YAML(objects []Object) ([]byte, error) {
	var out bytes.Buffer
	for i, object := range objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		content, err := yaml.Marshal(object) // fails for some characters that are not printable
		if err != nil || strings.ContainsFunc(string(content), func(r rune) bool { return !printable(r) }) {
			content, err = encode(object, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) })
		}
		if err != nil {
			return nil, err
		}
		out.Write(content)
	}
	return out.Bytes(), nil
}

// JSON returns the objects as a v1 List in JSON.
func JSON(objects []Object) ([]byte, error) {
	return encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}, func(r rune) string {
		if high, low := utf16.EncodeRune(r); low != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// encode returns JSON with an escape for each character that is not printable.
func encode(value any, escape func(rune) string) ([]byte, error) {
	content, err := json.MarshalIndent(value, "", "  ")
	var out bytes.Buffer
	for _, r := range string(content) {
		if printable(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(escape(r))
		}
	}
	out.WriteByte('\n')
	return out.Bytes(), err
}

func printable(r rune) bool { return r == '\n' || text.IsPrintable(r) }
