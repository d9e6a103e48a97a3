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

// refusal is a case of testdata/refused/<parent>.yaml: a parent that the API server refuses, and its messages.
type refusal struct {
	// Why is the reason why the parent is refused.
	Why string `json:"why"`
	// Parent is the object, and Was the old object if the case is an update.
	Parent map[string]any `json:"parent"`
	Was    map[string]any `json:"was,omitempty"`
	// ReadsAsAbsent is true if the hooks accept the parent, because a Go type has the same value for an absent field.
	ReadsAsAbsent bool `json:"readsAsAbsent,omitempty"`
	// OnlyCRD is true if the hooks have no such rule. Package validation has the reasons for a rule that is in both.
	OnlyCRD bool `json:"onlyCRD,omitempty"`
	// Refused has all messages of the schema and its CEL rules, sorted, as "field: type: message", or "type: message" for the
	// whole object. For a size, the API server adds a message of the scale subresource.
	Refused []string `json:"refused"`
}

// TestRefused checks the messages of the API server for invalid parents. Every CEL rule must have a case.
func TestRefused(t *testing.T) {
	known := kinds(t)
	reported := sets.New[string]()
	for _, file := range glob(t, "test/manifests/testdata/refused/*.yaml") {
		var cases []refusal
		read(t, file, &cases)
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".yaml"), i), func(t *testing.T) {
				if len(c.Refused) == 0 {
					t.Fatal("the case has no message")
				}
				parent := reread(t, c.Parent)
				_, _, problems := kindOf(t, known, parent).admit(t, parent, reread(t, c.Was))
				if diff := cmp.Diff(c.Refused, problems); diff != "" {
					t.Errorf("%s: the messages differ (-want +got):\n%s", c.Why, diff)
				}
				reported.Insert(problems...)
			})
		}
	}
	for gvk, k := range known {
		for _, message := range messages(k.structural) {
			if !hasMessage(reported, message) {
				t.Errorf("%s: no case under testdata/refused/ is refused with %q", gvk, message)
			}
		}
	}
}

// reread returns the object with the number types of the API server's decoder.
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

// messages returns the messages of all CEL rules in a schema.
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

func hasMessage(reported sets.Set[string], message string) bool {
	for problem := range reported {
		if message != "" && strings.HasSuffix(problem, ": "+message) {
			return true
		}
	}
	return false
}
