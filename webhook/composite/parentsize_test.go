package composite

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestSizeOfParent(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	cases := []struct{ reason, member, message string }{
		{"the status of a parent with many pods lists all of them", `"status": {"nodes": [""` + strings.Repeat(`,""`, 2*maxParentValues) + `]}`, ""},
		{"rules run for each entry of spec", `"spec": [""` + strings.Repeat(`,""`, maxParentValues) + `]`, "the object has 10004 values in its lists and fields, but at most 10000 are allowed"},
		{"a spec of the maximum size", `"spec": "` + strings.Repeat("a", MaxSpecBytes-2) + `"`, ""},
		{"children and errors have copies of each text of spec", `"spec": "` + strings.Repeat("a", MaxSpecBytes-1) + `"`, "spec has 65537 bytes as JSON, but at most 65536 are allowed"},
	}
	for _, test := range cases {
		_, err := call(t, hook, strings.Replace(wholeRequest, `"kind": "ConfigMap",`, `"kind": "ConfigMap", `+test.member+`,`, 1))
		_, isParents := errors.AsType[*ParentError](err)
		if isParents != (test.message != "") || isParents && err.Error() != test.message || !isParents && err != nil {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.message)
		}
	}
}

// TestLargeParentInOtherHooks checks that only a sync refuses a parent for its size. Metacontroller calls customize again at each event of any related
// object while it is refused, and a refused finalize keeps the parent from being deleted.
func TestLargeParentInOtherHooks(t *testing.T) {
	large := func(request string) string {
		return strings.Replace(request, `"kind": "ConfigMap",`, `"kind": "ConfigMap", "spec": "`+strings.Repeat("a", MaxSpecBytes)+`",`, 1)
	}
	customize := Customize(func(*corev1.ConfigMap) []RelatedRule { return nil })
	if _, err := call(t, customize, large(`{"controller": {}, "parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}}`)); err != nil {
		t.Errorf("customize: %v", err)
	}
	finalize := Finalize(func(configMapRequest) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{Finalized: true}, nil
	})
	if _, err := call(t, finalize, large(strings.Replace(wholeRequest, `"finalizing": false`, `"finalizing": true`, 1))); err != nil {
		t.Errorf("finalize: %v", err)
	}
}
