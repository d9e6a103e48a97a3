package corevalidation

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestSorted(t *testing.T) {
	specPath := field.NewPath("spec")
	errs := Sorted(field.ErrorList{field.Required(specPath.Child("b"), ""), field.Required(specPath.Child("a"), "")})
	if errs[0].Field != "spec.a" {
		t.Errorf("the first error is about %s, want spec.a", errs[0].Field)
	}
}
