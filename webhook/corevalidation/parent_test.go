package corevalidation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestValidateName(t *testing.T) {
	cases := []struct {
		reason, name string
		valid        bool
	}{
		{"a plain name", "sessions", true},
		{"dashes and digits within", "a-1", true},
		{"63 characters are a label's limit", strings.Repeat("a", 63), true},
		{"64 characters fit no label", strings.Repeat("a", 64), false},
		{"a dot is fine for the API server, not for a Service", "a.b", false},
		{"a Service's name starts with a letter", "1a", false},
		{"a name ends with a letter or digit", "a-", false},
		{"no name at all", "", false},
	}
	for _, test := range cases {
		errs := ParentName(&metav1.ObjectMeta{Name: test.name})
		if valid := len(errs) == 0; valid != test.valid {
			t.Errorf("%s: %q is valid: %t, want %t (%v)", test.reason, test.name, valid, test.valid, errs)
		}
	}
}

func TestValidateReplicas(t *testing.T) {
	cases := []struct {
		reason   string
		replicas *int32
		want     string
	}{
		{"none are a number of pods too", new(int32(0)), ""},
		{"some", new(int32(3)), ""},
		{"an absent number must not scale anything", nil, "spec.size: Required value: say how many pods to run"},
		{"less than nothing", new(int32(-1)), "spec.size: Invalid value: -1: must be at least 0"},
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
