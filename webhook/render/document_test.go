package render_test

import (
	"strings"
	"testing"
)

const (
	first  = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: a}\nspec: {size: 1}\n"
	second = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: b}\nspec: {size: 2}\n"

	firstJSON  = `{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "a"}, "spec": {"size": 1}}`
	secondJSON = `{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "b"}, "spec": {"size": 2}}`
)

// parentsIn returns the names of the parents in a text.
func parentsIn(text string) ([]string, error) {
	objects, err := renderText(text, nil)
	var names []string
	for _, object := range objects {
		if object["kind"] == "Memcached" {
			names = append(names, object["metadata"].(map[string]any)["name"].(string))
		}
	}
	return names, err
}

// TestDocuments: each document of a file is rendered, or the file is refused. The expectations match kubectl 1.32, except
// for content after the end of a document and items that are null: kubectl skips both without a message.
func TestDocuments(t *testing.T) {
	t.Parallel()
	cases := []struct {
		reason, text string
		names        string
		err          string
	}{
		{"a comment after the separator", first + "--- # the second\n" + second, "a b", ""},
		{"white space after the separator", first + "--- \t\r\n" + second, "a b", ""},
		{"empty documents", "---\n---\n# nothing\n---\n" + first + "---\nnull\n---\n" + second + "---", "a b", ""},
		{"the end of a document", first + "...\n---\n" + second + "...\n# nothing\n", "a b", ""},
		{"a stream of JSON objects", firstJSON + secondJSON + "\n", "a b", ""},
		{"a JSON object in each line", firstJSON + "\n" + secondJSON, "a b", ""},
		{"JSON documents between separators", firstJSON + "\n---\n" + secondJSON, "a b", ""},
		{"YAML that starts like JSON", "{" + strings.ReplaceAll(strings.TrimSpace(first), "\n", ", ") + "}\n---\n" + second, "a b", ""},
		{"a list of one kind", "apiVersion: cache.example.com/v1alpha1\nkind: MemcachedList\nitems:\n- {metadata: {name: a}, spec: {size: 1}}\n", "a", ""},
		{"a list in a list", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [" + firstJSON + "]\n- " + secondJSON + "\n", "a b", ""},
		{"an empty list", "apiVersion: v1\nkind: List\nitems: []\n", "", ""},
		{"no document", "# nothing\n", "", ""},

		{"an object on the line of the separator", first + "--- {apiVersion: v1, kind: Pod}\n", "", "parents.yaml:5: invalid Yaml document separator"},
		{"a tag on the line of the separator", "--- !!map\n" + first, "", "parents.yaml:1: invalid Yaml document separator"},
		{"text on the line of the separator", first + "--- |\n  text\n", "", "parents.yaml:5: invalid Yaml document separator"},
		{"a fourth dash", first + "----\n" + second, "", "parents.yaml:5: invalid Yaml document separator"},
		{"a document after the end of one", first + "...\n" + second, "", "parents.yaml, in the document at line 1: yaml: line 5"},
		{"a second JSON object that is incomplete", firstJSON + "\n{", "", "parents.yaml, in the document at line 1"},
		{"a second document that is incomplete", first + "---\na: [\n", "", "parents.yaml, in the document at line 6"},
		{"a second JSON object that is invalid", firstJSON + "\n" + strings.Replace(secondJSON, "2", "-2", 1), "a", "parents.yaml, Memcached b: spec.size"},
		{"an array", "[" + firstJSON + "]", "", "parents.yaml, in the document at line 1: reading an object"},
		{"a string", first + "---\ntext\n", "", "parents.yaml, in the document at line 6: reading an object"},

		{"a list without items", "apiVersion: v1\nkind: List\n", "", "parents.yaml, in the document at line 1: items: a List must have a list"},
		{"items that are null", "# comment\napiVersion: v1\nkind: List\nitems:\n", "", "parents.yaml, in the document at line 1: items: a List must have a list"},
		{"items that are an object", "apiVersion: v1\nkind: List\nitems: {a: b}\n", "", "parents.yaml, in the document at line 1: items: a List must have a list"},
		{"items that are a string", first + "---\napiVersion: v1\nkind: List\nitems: text\n", "", "parents.yaml, in the document at line 6: items: a List must have a list"},
		{"items of a list of one kind that are a number", "apiVersion: cache.example.com/v1alpha1\nkind: MemcachedList\nitems: 1\n", "", "parents.yaml, in the document at line 1: items: a MemcachedList must have a list"},
		{"items of an object that is not a list", first + "items:\n- " + secondJSON + "\n", "", `parents.yaml, Memcached a: unknown field "items"`},
		{"an item of a list in a list that is a string", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [text]\n", "", "parents.yaml, in the document at line 1: items[0]: must be an object"},
		{"an item that is a string", "apiVersion: v1\nkind: List\nitems:\n- " + firstJSON + "\n- text\n", "", "parents.yaml, in the document at line 1: items[1]: must be an object"},
		{"an item that is null", "apiVersion: v1\nkind: List\nitems:\n-\n", "", "parents.yaml, in the document at line 1: items[0]: must be an object"},
		{"an item that is a list", "apiVersion: v1\nkind: List\nitems: [[" + firstJSON + "]]\n", "", "parents.yaml, in the document at line 1: items[0]: must be an object"},
		{"an item without a kind", "apiVersion: v1\nkind: List\nitems:\n- {metadata: {name: a}}\n", "", "parents.yaml, a: there is no controller"},
		{"too many items", "apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- {}\n", 10_001), "", "parents.yaml has more than 10000 objects"},
		{"too many documents", strings.Repeat("---\n", 2_000_000), "", "parents.yaml has more than 10000 objects"},
		{"too many objects together", first + "---\napiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- {}\n", 10_000), "", "parents.yaml has more than 10000 objects"},
		{"a file that is too large", "# " + strings.Repeat("a", 8<<20), "", "parents.yaml has more than 8388608 bytes"},
		{"items from a merge key", "x: &x\n  items: [text]\napiVersion: v1\nkind: List\n<<: *x\n", "", "items[0]: must be an object"},
	}
	for _, test := range cases {
		names, err := parentsIn(test.text)
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("%s: rendered %q, want %q", test.reason, got, test.names)
		}
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.err)
		}
	}
}
