package manifests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"
)

// refusal is one case of testdata/refused/<parent>.yaml: a parent that the API server refuses, and what it says.
type refusal struct {
	// Why is the reason for refusing it.
	Why string `json:"why"`
	// Parent is the object, and Was what it was before, if the case is an update.
	Parent map[string]any `json:"parent"`
	Was    map[string]any `json:"was,omitempty"`
	// ReadsAsAbsent is true where a Go type cannot tell what is refused from nothing, so the hooks take it for that.
	ReadsAsAbsent bool `json:"readsAsAbsent,omitempty"`
	// Refused lists all that the schema and its rules report, sorted, as "field: type: sentence" (no field: the whole
	// object). For a size the API server adds what its scale subresource has to say.
	Refused []string `json:"refused"`
}

// TestRefused holds that bad input fails at kubectl apply, with a sentence that says what to do about it.
func TestRefused(t *testing.T) {
	known := kinds(t)
	said := sets.New[string]()
	for _, file := range glob(t, "test/manifests/testdata/refused/*.yaml") {
		var cases []refusal
		read(t, file, &cases)
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".yaml"), i), func(t *testing.T) {
				if len(c.Refused) == 0 {
					t.Fatal("the case names no problem")
				}
				parent := reread(t, c.Parent)
				_, _, problems := kindOf(t, known, parent).admit(t, parent, reread(t, c.Was))
				if diff := cmp.Diff(c.Refused, problems); diff != "" {
					t.Errorf("refused otherwise than expected (-want +got), for: %s\n%s", c.Why, diff)
				}
				said.Insert(problems...)
			})
		}
	}
	for gvk, k := range known {
		for _, message := range messages(k.structural) {
			if !heard(said, message) {
				t.Errorf("%s: no case under testdata/refused/ is refused with %q", gvk, message)
			}
		}
		for _, bound := range bounds("", k.structural) {
			if !bound.broken(said.UnsortedList()) {
				t.Errorf("%s: no case under testdata/refused/ is refused with %q", gvk, bound.path+bound.says)
			}
		}
	}
}

// reread gives an object the number types that the API server's decoder would give it.
func reread(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	if object == nil {
		return nil
	}
	raw, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, "testdata/refused", raw)
}

// messages lists the sentences of all the rules in a schema.
func messages(s *schema.Structural) []string {
	var found []string
	visitor := schema.Visitor{Structural: func(node *schema.Structural) bool {
		for _, rule := range node.XValidations {
			found = append(found, rule.Message)
		}
		return false
	}}
	visitor.Visit(s)
	return found
}

func heard(said sets.Set[string], message string) bool {
	for sentence := range said {
		if message != "" && strings.HasSuffix(sentence, ": "+message) {
			return true
		}
	}
	return false
}
