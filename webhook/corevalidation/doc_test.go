package corevalidation

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var specPath = field.NewPath("spec")

// expect compares the fields and the types of all errors with want; "" means no error.
func expect(t *testing.T, reason string, errs field.ErrorList, want string) {
	t.Helper()
	var all []string
	for _, err := range errs {
		all = append(all, err.Field+": "+err.Type.String())
	}
	if got := strings.Join(all, "; "); got != want {
		t.Errorf("%s: got %q, want %q (%v)", reason, got, want, errs)
	}
}

func TestSorted(t *testing.T) {
	errs := Sorted(field.ErrorList{field.Required(specPath.Child("b"), ""), field.Required(specPath.Child("a"), "")})
	if errs[0].Field != "spec.a" {
		t.Errorf("the first error is about %s, want spec.a", errs[0].Field)
	}
}
