package corevalidation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestParentName(t *testing.T) {
	cases := []struct {
		reason, name string
		valid        bool
	}{
		{"a plain name", "sessions", true},
		{"dashes and digits within", "a-1", true},
		{"63 characters, the limit of a label", strings.Repeat("a", 63), true},
		{"64 characters", strings.Repeat("a", 64), false},
		{"a dot, which a Service's name cannot have", "a.b", false},
		{"a digit at the start", "1a", false},
		{"a dash at the end", "a-", false},
		{"an empty name", "", false},
	}
	for _, test := range cases {
		errs := ParentName(&metav1.ObjectMeta{Name: test.name})
		if valid := len(errs) == 0; valid != test.valid {
			t.Errorf("%s: %q is valid: %t, want %t (%v)", test.reason, test.name, valid, test.valid, errs)
		}
	}
}

func TestReplicas(t *testing.T) {
	cases := []struct {
		reason   string
		replicas *int32
		want     string
	}{
		{"0", new(int32(0)), ""},
		{"a number above 0", new(int32(3)), ""},
		{"no number", nil, "spec.size: Required value: set the number of pods"},
		{"a negative number", new(int32(-1)), "spec.size: Invalid value: -1: must be greater than or equal to 0"},
	}
	for _, test := range cases {
		got := ""
		if err := Replicas(field.NewPath("spec", "size"), test.replicas).ToAggregate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
