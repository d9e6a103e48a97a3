package render_test

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

const (
	first  = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: a}\nspec: {size: 1}\n"
	second = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: b}\nspec: {size: 2}\n"

	firstJSON  = `{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "a"}, "spec": {"size": 1}}`
	secondJSON = `{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "b"}, "spec": {"size": 2}}`
)

// parentsIn returns the names of the parents that a text has.
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

// TestDocuments: each document of a file is rendered, or the file is refused. The expectations are those of kubectl 1.32,
// but for what follows the end of a document and for items that are null: kubectl skips both without a message.
func TestDocuments(t *testing.T) {
	cases := []struct {
		reason, text string
		names        string
		err          string
	}{
		{"a comment after the separator", first + "--- # the second\n" + second, "a b", ""},
		{"white space after the separator", first + "--- \t\r\n" + second, "a b", ""},
		{"documents that are empty", "---\n---\n# nothing\n---\n" + first + "---\nnull\n---\n" + second + "---", "a b", ""},
		{"the end of a document", first + "...\n---\n" + second + "...\n# nothing\n", "a b", ""},
		{"a stream of JSON objects", firstJSON + secondJSON + "\n", "a b", ""},
		{"a JSON object in each line", firstJSON + "\n" + secondJSON, "a b", ""},
		{"JSON documents between separators", firstJSON + "\n---\n" + secondJSON, "a b", ""},
		{"YAML that begins like JSON", "{" + strings.ReplaceAll(strings.TrimSpace(first), "\n", ", ") + "}\n---\n" + second, "a b", ""},
		{"a list of one kind", "apiVersion: cache.example.com/v1alpha1\nkind: MemcachedList\nitems:\n- {metadata: {name: a}, spec: {size: 1}}\n", "a", ""},
		{"a list in a list", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [" + firstJSON + "]\n- " + secondJSON + "\n", "a b", ""},
		{"an empty list", "apiVersion: v1\nkind: List\nitems: []\n", "", ""},
		{"no document", "# nothing\n", "", ""},

		{"an object on the line of the separator", first + "--- {apiVersion: v1, kind: Pod}\n", "", "parents.yaml:5: invalid document separator"},
		{"a tag on it", "--- !!map\n" + first, "", "parents.yaml:1: invalid document separator"},
		{"text on it", first + "--- |\n  text\n", "", "parents.yaml:5: invalid document separator"},
		{"a fourth dash", first + "----\n" + second, "", "parents.yaml:5: invalid document separator"},
		{"a document after the end of one", first + "...\n" + second, "", "parents.yaml, in the document at line 1: yaml: line 5"},
		{"a second JSON object that is broken", firstJSON + "\n{", "", "parents.yaml, in the document at line 1"},
		{"a second document that is broken", first + "---\na: [\n", "", "parents.yaml, in the document at line 6"},
		{"a second JSON object that is wrong", firstJSON + "\n" + strings.Replace(secondJSON, "2", "-2", 1), "a", "parents.yaml:2: spec.size"},
		{"an array", "[" + firstJSON + "]", "", "parents.yaml:1: reading an object"},
		{"a text", first + "---\ntext\n", "", "parents.yaml:6: reading an object"},

		{"a list without items", "apiVersion: v1\nkind: List\n", "", "parents.yaml:1: items: a List must have a list"},
		{"items that are null", "# comment\napiVersion: v1\nkind: List\nitems:\n", "", "parents.yaml:4: items: a List must have a list"},
		{"items that are an object", "apiVersion: v1\nkind: List\nitems: {a: b}\n", "", "parents.yaml:3: items: a List must have a list"},
		{"items that are a text", first + "---\napiVersion: v1\nkind: List\nitems: text\n", "", "parents.yaml:8: items: a List must have a list"},
		{"items of a list of one kind that are a number", "apiVersion: cache.example.com/v1alpha1\nkind: MemcachedList\nitems: 1\n", "", "parents.yaml:3: items: a MemcachedList must have a list"},
		{"items of an object that is no list", first + "items:\n- " + secondJSON + "\n", "", `parents.yaml:6: unknown field "items"`},
		{"an item that is a text", "apiVersion: v1\nkind: List\nitems:\n- " + firstJSON + "\n- text\n", "", "parents.yaml:5: items[1]: must be an object"},
		{"an item that is null", "apiVersion: v1\nkind: List\nitems:\n-\n", "", "parents.yaml:4: items[0]: must be an object"},
		{"an item that is a list", "apiVersion: v1\nkind: List\nitems: [[" + firstJSON + "]]\n", "", "parents.yaml:3: items[0]: must be an object"},
		{"an item without a kind", "apiVersion: v1\nkind: List\nitems:\n- {metadata: {name: a}}\n", "", "parents.yaml:4: there is no controller"},
		{"items that are merged in", "x: &x\n  items: [text]\napiVersion: v1\nkind: List\n<<: *x\n", "", "items[0]: must be an object"},
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

// TestSeparatorsAreKubectls compares the separators with those of the library that kubectl uses.
func TestSeparatorsAreKubectls(t *testing.T) {
	for _, separator := range []string{"---", "--- ", "---\t", "---\r", "--- # x", "---# x", "--- #", "----", "--- -", "---x", "--- {}", "--- \u00a0", " ---", "--", "-- -", "..."} {
		text := first + separator + "\n" + second
		ours, err := parentsIn(text)
		reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
		documents := 0
		var theirs error
		for theirs == nil {
			if _, theirs = reader.Read(); theirs == nil {
				documents++
			}
		}
		if refused := !errors.Is(theirs, io.EOF); refused && err == nil {
			t.Errorf("%q: rendered %v, and kubectl refuses it: %v", separator, ours, theirs)
		} else if !refused && documents == 2 && !slices.Equal(ours, []string{"a", "b"}) {
			t.Errorf("%q: rendered %v, %v, and kubectl reads two documents", separator, ours, err)
		} else if documents == 1 && err == nil {
			t.Errorf("%q: rendered %v of what kubectl reads as one document", separator, ours)
		}
	}
}
