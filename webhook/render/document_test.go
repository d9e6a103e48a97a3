package render_test

import (
	"strings"
	"testing"
)

const (
	first  = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: a}\nspec: {size: 1}\n"
	second = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: b}\nspec: {size: 2}\n"

	firstJSON = `{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "a"}, "spec": {"size": 1}}`
)

// parentsIn returns the names of the parents in a text.
func parentsIn(text string) ([]string, error) {
	objects, err := renderText(text)
	var names []string
	for _, object := range objects {
		if object["kind"] == "Memcached" {
			names = append(names, object["metadata"].(map[string]any)["name"].(string))
		}
	}
	return names, err
}

// TestDocuments checks that each document of a file is rendered, or the file is refused.
func TestDocuments(t *testing.T) {
	t.Parallel()
	const list = "apiVersion: v1\nkind: List\nitems: "
	cases := []struct{ reason, text, names, err string }{
		{"a comment after the separator", first + "--- # the second\n" + second, "a b", ""},
		{"empty documents", "---\n---\n# nothing\n---\n" + first + "---\nnull\n---\n" + second + "---", "a b", ""},
		{"JSON", firstJSON + "\n---\n" + second, "a b", ""},
		{"a list", list + "[" + firstJSON + "]\n---\n" + second, "a b", ""},

		{"an empty list", list + "[]\n", "", "nothing to render"},
		{"a comment", "# nothing\n", "", "nothing to render"},
		{"an object on the line of the separator", first + "--- {apiVersion: v1, kind: Pod}\n", "", "parents.yaml, document 1: the YAML is invalid: invalid Yaml document separator"},
		{"an incomplete document", first + "---\na: [\n", "", "parents.yaml, document 2: the YAML is invalid: line "},
		{"a stream of JSON objects", firstJSON + "\n" + firstJSON, "", "parents.yaml, document 1: a second document"},
		{"a document after the end of one", first + "...\n" + second, "", "parents.yaml, document 1: a second document"},
		{"an array", "[" + firstJSON + "]", "", "parents.yaml, document 1: it is not an object with apiVersion and kind"},
		{"a second document that is invalid", first + "---\n" + strings.Replace(second, "2", "-2", 1), "a", "parents.yaml, Memcached b: spec.size"},
		{"a list without items", "apiVersion: v1\nkind: List\n", "", "parents.yaml, document 1: the operator has no controller for kind List of v1"},
		{"items of an object that is not a list", first + "items:\n- " + firstJSON + "\n", "", `parents.yaml, Memcached a: unknown field "items"`},
		{"an item that is a string", list + "[text]\n", "", "parents.yaml, document 1: an item of the list is not an object"},
		{"too many items", list + "\n" + strings.Repeat("- {}\n", 10_001), "", "parents.yaml contains more than 10000 objects"},
		{"too many documents", strings.Repeat("---\n", 2_000_000), "", "parents.yaml contains more than 10000 objects"},
		{"a name of several lines", strings.Replace(second, "name: b", `name: "b\nc"`, 1), "", "parents.yaml, Memcached default/b c: metadata.name"},
		{"a number as long as the file", "a: !!float " + strings.Repeat("1", 1<<20), "", "parents.yaml, document 1: the YAML is invalid: "},
		{"a file that is too large", "# " + strings.Repeat("a", 8<<20), "", "parents.yaml is larger than 8388608 bytes"},
	}
	for _, test := range cases {
		names, err := parentsIn(test.text)
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("%s: rendered %q, want %q", test.reason, got, test.names)
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: the error has %d bytes", test.reason, len(err.Error()))
		}
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.err)
		}
	}
}
