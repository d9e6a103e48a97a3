package render_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
	"github.com/example/memcached-operator/webhook/text"
)

var now = metav1.NewTime(time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC))

func renderText(content string) ([]render.Object, error) {
	return renderWith(content, render.Options{Now: now})
}

func renderWith(content string, options render.Options) ([]render.Object, error) {
	return render.Render(parents.Controllers(memcached.Config{}), []render.Input{{Name: "parents.yaml", Content: []byte(content)}}, options)
}

func kindsAndNames(objects []render.Object) []string {
	var names []string
	for _, object := range objects {
		metadata, _ := object["metadata"].(map[string]any)
		names = append(names, object["kind"].(string)+" "+metadata["namespace"].(string)+"/"+metadata["name"].(string))
	}
	return names
}

const twoParents = `# a comment before the first document
---
apiVersion: cache.example.com/v1alpha1
kind: Memcached
metadata: {name: a}
spec: {size: 1}
---
---
apiVersion: cache.example.com/v1alpha1
kind: Memcached
metadata: {name: b, namespace: web}
spec: {size: 2}
`

func TestRenderKeepsTheOrder(t *testing.T) {
	t.Parallel()
	objects, err := renderText(twoParents)
	if err != nil {
		t.Fatal(err)
	}
	names := kindsAndNames(objects)
	if names[0] != "Memcached default/a" || names[1] != "NetworkPolicy default/a" || names[2] != "Deployment default/a" {
		t.Errorf("rendered %v, want the parent before its children, and the NetworkPolicy before the pods, in the namespace default", names)
	}
	if !slices.Contains(names, "Memcached web/b") {
		t.Errorf("the second parent is missing: %v", names)
	}
	for _, object := range objects {
		if _, hasStatus := object["status"]; hasStatus != (object["kind"] == "Memcached") {
			t.Errorf("%s: has a status: %t, want a status only for the parent", object["kind"], hasStatus)
		}
	}
}

// TestRenderAcceptsList: kubectl get --output yaml writes several objects as one List.
func TestRenderAcceptsList(t *testing.T) {
	t.Parallel()
	const items = `apiVersion: v1
kind: List
items:
- apiVersion: cache.example.com/v1alpha1
  kind: Memcached
  metadata: {name: a, namespace: web}
  spec: {size: 1}
- apiVersion: cache.example.com/v1alpha1
  kind: Memcached
  metadata: {name: b, namespace: web}
  spec: {size: SIZE}
`
	objects, err := renderText(strings.ReplaceAll(items, "SIZE", "2"))
	if err != nil {
		t.Fatal(err)
	}
	names := kindsAndNames(objects)
	if names[0] != "Memcached web/a" || !slices.Contains(names, "Deployment web/b") {
		t.Errorf("rendered %v, want both parents", names)
	}
	if _, err := renderText(strings.ReplaceAll(items, "SIZE", "-1")); err == nil || !strings.Contains(err.Error(), "parents.yaml, Memcached web/b: spec.size") {
		t.Errorf("got %v, want an error about each object", err)
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	parent := func(body string) string {
		return "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\n" + body
	}
	cases := []struct {
		reason, text, message string
	}{
		{"a limit of the schema", parent("metadata: {name: a}\nspec:\n  size: -1\n"), "parents.yaml, Memcached a: spec.size should be greater than or equal to 0"},
		{"a type of the schema, in a later document", twoParents + "---\n" + parent("metadata: {name: a}\nspec:\n  size: x\n"), "parents.yaml, Memcached a: spec.size"},
		{"an unknown field", parent("metadata: {name: a}\nspec:\n  size: 1\n  sise: 1\n"), `parents.yaml, Memcached a: unknown field "spec.sise"`},
		{"an unknown field with a long name", parent("metadata: {name: a}\nspec: {size: 1}\n" + strings.Repeat("a", 300) + ": 1\n"), `unknown field "` + strings.Repeat("a", 200) + `…"`},
		{"a name that looks like a negative index", parent("metadata: {name: a}\nspec: {size: 1, tolerations: [{}], tolerations.-1: 1}\n"), `unknown field "spec.tolerations.-1"`},
		{"a unit that is not one of quantities", parent("metadata: {name: a}\nspec: {size: 1, cache: {memory: 64MB}}\n"), "spec.cache.memory: is not a quantity. Use a number with a unit such as Mi or Gi, for example 64Mi"},
		{"a rule that only the hook has", parent("metadata:\n  name: a.b\nspec: {size: 1}\n"), "parents.yaml, Memcached default/a.b: metadata.name"},
		{"a kind without a controller", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "parents.yaml, Pod a: the operator has no controller for kind Pod of v1. Controllers exist for Memcached (cache.example.com/v1alpha1)"},
		{"a duplicate key", parent("metadata: {name: a}\nspec: {size: 1}\nspec: {size: 2}\n"), "parents.yaml"},
		{"a list that is an alias", "apiVersion: v1\nkind: List\nx: &x\n- {kind: Foo}\nitems: *x\n", "parents.yaml, document 1: apiVersion or kind is missing"},
		{"a duplicate key in the last document", twoParents + "---\n" + parent("metadata: {name: a}\nspec: {size: 1}\nspec: {size: 2}\n"), "parents.yaml, document 4: the YAML is invalid: "},
		{"invalid YAML", "a: [", "parents.yaml"},
		{"text after the object", "{apiVersion: cache.example.com/v1alpha1, kind: Memcached, metadata: {name: a}, spec: {size: 1}}}\" {}\n", "parents.yaml, document 1: the YAML is invalid: "},
		{"aliases of a long string", "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 9) + "]\n", "parents.yaml, document 1: with its aliases, the YAML has more than 8388608 bytes"},
		{"a key that a terminal executes", parent("metadata: {name: a}\nspec: {size: 1, podLabels: {\"\\n::error::\\e[31m\": 5}}\n"), "spec.podLabels. ::error:: [31m must be of type string"},
		{"no metadata", parent("spec: {size: 1}\n"), "metadata.name"},
		{"a list in place of an object", parent("metadata: {name: a}\nspec: [1]\n"), "parents.yaml, Memcached a: spec must be of type object"},
		{"an unknown field in an item of a list", parent("metadata: {name: a}\nspec:\n  size: 1\n  tolerations: [{key: a}, {kay: b}]\n"), `parents.yaml, Memcached a: unknown field "spec.tolerations[1].kay"`},
	}
	for _, test := range cases {
		objects, err := renderText(test.text)
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v (rendered %v), want %q", test.reason, err, kindsAndNames(objects), test.message)
		}
	}
}

func TestRenderSkipsOthers(t *testing.T) {
	t.Parallel()
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\n"
	cases := []struct{ reason, other, message string }{
		{"another kind of another group", deployment, ""},
		{"a kind whose name ends with List", "apiVersion: example.com/v1\nkind: AllowList\n", ""},
		{"a file of values", "replicas: 3\n", ""},
		{"a misspelled kind", "apiVersion: cache.example.com/v1alpha1\nkind: Memcache\n", "the operator has no controller"},
		{"a misspelled group", "apiVersion: cahce.example.com/v1alpha1\nkind: Memcached\n", "the operator has no controller"},
	}
	for _, test := range cases {
		objects, err := renderWith(test.other+"---\n"+twoParents, render.Options{Now: now, SkipOthers: true})
		if test.message == "" && (err != nil || kindsAndNames(objects)[0] != "Memcached default/a") {
			t.Errorf("%s: rendered %v, %v; want it to be skipped", test.reason, kindsAndNames(objects), err)
		}
		if test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.message)
		}
	}
}

func TestRenderChildrenOnly(t *testing.T) {
	t.Parallel()
	var first []render.Object
	for _, later := range []time.Duration{0, time.Hour} {
		objects, err := renderWith(twoParents, render.Options{Now: metav1.NewTime(now.Add(later)), ChildrenOnly: true})
		if err != nil || kindsAndNames(objects)[0] != "NetworkPolicy default/a" || len(objects) < 6 {
			t.Fatalf("rendered %v, %v; want the children of both parents", kindsAndNames(objects), err)
		}
		if first == nil {
			first = objects
		}
		if diff := cmp.Diff(first, objects); diff != "" {
			t.Errorf("the output depends on the time (-first +later):\n%s", diff)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	objects, err := renderText(twoParents)
	if err != nil {
		t.Fatal(err)
	}
	content, err := render.JSON(objects)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Kind  string `json:"kind"`
		Items []any  `json:"items"`
	}
	if err := json.Unmarshal(content, &list); err != nil || list.Kind != "List" || len(list.Items) != len(objects) {
		t.Errorf("want a List of %d objects: %v %.100s", len(objects), err, content)
	}
	content, err = render.YAML(objects)
	if err != nil || strings.HasPrefix(string(content), "---") || strings.Count(string(content), "\n---\n") != len(objects)-1 {
		t.Errorf("want %d YAML documents: %v %s", len(objects), err, content)
	}
}

// TestFormatsAreSafeToPrint checks that both formats keep the value of each string, and have no character that changes what a terminal shows.
func TestFormatsAreSafeToPrint(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, value string }{
		{"C1 clears the terminal", "a\u009b2Jb"},
		{"a mark of bidirectional text shows another order", "a\u202eb\u2066c"},
		{"DEL", "a\x7fb"},
		{"a tag beyond 16 bits is invisible", "a\U000e0041b"},
		{"a letter without a form", "a\u3164b"},
		{"text stays as it is", "größer\nals 5 €"},
	} {
		want := []render.Object{{"value": test.value}}
		for _, format := range []func([]render.Object) ([]byte, error){render.YAML, render.JSON} {
			content, err := format(want)
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(string(content), func(r rune) bool { return r != '\n' && !text.IsPrintable(r) }) {
				t.Errorf("%s: printed %q", test.reason, content)
			}
			var list struct {
				Items []render.Object
				Value any
			}
			if json.Unmarshal(content, &list) != nil {
				err = yaml.Unmarshal(content, &list)
			}
			if err != nil || list.Value != test.value && list.Items[0]["value"] != test.value {
				t.Errorf("%s: %q is another value: %v", test.reason, content, err)
			}
		}
	}
}
