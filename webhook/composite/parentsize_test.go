package composite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

func TestSizeOfParent(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	cases := []struct{ reason, member, message string }{
		{"the status of a parent with many pods lists all of them", `"status": {"nodes": [""` + strings.Repeat(`,""`, 2*maxSpecValues) + `]}`, ""},
		{"rules run for each entry of spec", `"spec": [""` + strings.Repeat(`,""`, maxSpecValues+1) + `]`, "spec has 2001 values in its lists and fields, but at most 2000 are allowed"},
		{"a spec of the maximum size", `"spec": "` + strings.Repeat("a", MaxSpecBytes-2) + `"`, ""},
		{"children and errors have copies of each text of spec", `"spec": "` + strings.Repeat("a", MaxSpecBytes-1) + `"`, "spec has 32769 bytes as JSON, but at most 32768 are allowed"},
		{"etcd could not store the status of a larger parent", `"x": "` + strings.Repeat("a", maxParentBytes) + `"`, "the resource has 917601 bytes as JSON, but at most 917504 are allowed"},
		{"each level of spec takes stack", `"spec": ` + strings.Repeat("[", text.MaxDepth+1) + strings.Repeat("]", text.MaxDepth+1), "spec is nested more than 100 levels deep"},
	}
	for _, test := range cases {
		_, err := call(t, hook, strings.Replace(wholeRequest, `"kind": "ConfigMap",`, `"kind": "ConfigMap", `+test.member+`,`, 1))
		_, isParents := errors.AsType[*ParentError](err)
		if isParents != (test.message != "") || isParents && err.Error() != test.message || !isParents && err != nil {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.message)
		}
	}
}

// TestLostStatus checks that the large members of a status that is larger than any number of pods needs count as lost: it is copied, compared and returned
// again. The others stay: a status whose conditions have other times at each sync is written again and again.
func TestLostStatus(t *testing.T) {
	var seen corev1.PodStatus
	hook := Sync(func(request Request[*corev1.Pod, secrets, pods]) (Desired[configMapStatus], error) {
		seen = request.Parent.Status
		return Desired[configMapStatus]{}, nil
	})
	for _, test := range []struct {
		reason, status     string
		message, addresses bool // that the hook sees
	}{
		{"a status of the maximum size", `{"message": "` + strings.Repeat("a", MaxStatusBytes-15) + `"}`, true, false},
		{"a response has up to six bytes for each byte of a status", `{"message": "` + strings.Repeat("<", MaxStatusBytes-14) + `"}`, false, false},
		{"as many entries as the maximum", `{"message": "a", "podIPs": [{}` + strings.Repeat(`,{}`, maxStatusValues-1) + `]}`, true, true},
		{"empty entries need many times their size", `{"message": "a", "podIPs": [{}` + strings.Repeat(`,{}`, maxStatusValues) + `]}`, true, false},
		{"each level takes stack", `{"message": "a", "x": ` + strings.Repeat("[", text.MaxDepth) + strings.Repeat("]", text.MaxDepth) + `}`, false, false},
	} {
		request := strings.Replace(wholeRequest, `"kind": "ConfigMap",`, `"kind": "Pod", "status": `+test.status+`,`, 1)
		if _, err := hook.Handle(corev1.SchemeGroupVersion.WithKind("Pod"), strings.NewReader(request), metav1.Time{}); err != nil || (seen.Message != "") != test.message || (seen.PodIPs != nil) != test.addresses {
			t.Errorf("%s: error %v, message %t, addresses %t", test.reason, err, seen.Message != "", seen.PodIPs != nil)
		}
	}
	large := `{"message":"a","x":"` + strings.Repeat("a", maxParentBytes) + `"}`
	if rest := string(smallMembers(jsontext.Value(large))); rest != `{"message":"a"}` {
		t.Errorf("of the status of a deleted parent that is too large otherwise, %s stays", rest)
	}
	var many strings.Builder
	for i := range maxStatusValues + 2 {
		fmt.Fprintf(&many, `,"%d": 0`, i)
	}
	for reason, status := range map[string]string{
		"the API server stores none of that size": `{"message": "a", "x": "` + strings.Repeat("a", 2*maxParentBytes) + `"}`,
		"many small members":                      "{" + many.String()[1:] + "}",
		"no object":                               "[" + strings.Repeat(" ", MaxStatusBytes) + "]",
	} {
		if rest := smallMembers(jsontext.Value(status)); rest != nil {
			t.Errorf("%s: %d bytes stay", reason, len(rest))
		}
	}
}

// TestRelatedRulesFollowFromSpec checks that nothing but spec matters for related objects: Metacontroller caches the rules for the generation. Rules without
// spec that labels or a status have caused would hide pods from later syncs of the same spec.
func TestRelatedRulesFollowFromSpec(t *testing.T) {
	var seen *corev1.Pod
	hook := Customize(func(pod *corev1.Pod) []RelatedRule { seen = pod; return nil })
	entries := strings.TrimSuffix(strings.Repeat(`"",`, 100_000), ",")
	for reason, members := range map[string]string{
		"a small parent":             `"metadata": {"name": "a", "namespace": "n"}`,
		"labels":                     `"metadata": {"name": "a", "namespace": "n", "labels": {"a": "` + strings.Repeat("a", 1_400_000) + `"}}`,
		"many finalizers":            `"metadata": {"name": "a", "namespace": "n", "finalizers": [` + entries + `]}`,
		"managedFields":              `"metadata": {"name": "a", "namespace": "n", "managedFields": [` + entries + `]}`,
		"a status":                   `"metadata": {"name": "a", "namespace": "n"}, "status": {"message": "a"}`,
		"a status of many entries":   `"metadata": {"name": "a", "namespace": "n"}, "status": {"podIPs": [` + entries + `]}`,
		"a status of the wrong type": `"metadata": {"name": "a", "namespace": "n"}, "status": {"phase": 1}`,
	} {
		body := `{"controller": {}, "parent": {"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "b"}, ` + members + `}}`
		_, err := hook.Handle(corev1.SchemeGroupVersion.WithKind("Pod"), strings.NewReader(body), metav1.Time{})
		if err != nil || seen.Spec.NodeName != "b" || len(seen.Labels) > 0 || seen.Status.Message != "" {
			t.Errorf("%s: error %v, the rules follow from spec %+v, labels %d and status %q", reason, err, seen.Spec, len(seen.Labels), seen.Status.Message)
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

// TestFinalizers checks that hooks see whether children are to stay, and nothing of any other finalizers.
func TestFinalizers(t *testing.T) {
	var seen *corev1.ConfigMap
	hook := Sync(func(request configMapRequest) (Desired[configMapStatus], error) {
		seen = request.Parent
		return Desired[configMapStatus]{}, nil
	})
	for finalizers, want := range map[string][]string{
		`["a/orphan", "orphans"]`:                              nil,
		`[` + strings.Repeat(`"a/b", `, 100_000) + `"orphan"]`: {"orphan"},
	} {
		if _, err := call(t, hook, strings.Replace(wholeRequest, `{"name": "p"`, `{"finalizers": `+finalizers+`, "name": "p"`, 1)); err != nil || !slices.Equal(seen.Finalizers, want) {
			t.Errorf("%.40s: error %v, the hook sees %v, want %v", finalizers, err, seen.Finalizers, want)
		}
	}
}

// TestTimesOfEdits checks that a sync knows when somebody has edited its parent: a change that is a second old is not overdue.
func TestTimesOfEdits(t *testing.T) {
	var seen *corev1.Pod
	hook := Sync(func(request Request[*corev1.Pod, secrets, pods]) (Desired[configMapStatus], error) {
		seen = request.Parent
		return Desired[configMapStatus]{}, nil
	})
	for reason, test := range map[string]struct {
		fields string
		want   int
	}{
		"an edit":                           {``, 1},
		"entries that no API server stores": {strings.Repeat(`{},`, maxEdits), 0},
		"an edit of a field below 10,000 others, which takes no stack": {`{"fieldsV1": ` + strings.Repeat(`{"f:a":`, 9_900) + `{}` + strings.Repeat(`}`, 9_900) + `},`, 2},
	} {
		request := strings.Replace(wholeRequest, `"kind": "ConfigMap",`, `"kind": "Pod",`, 1)
		request = strings.Replace(request, `{"name": "p"`, `{"managedFields": [`+test.fields+`{"manager": "kubectl", "time": "2026-11-26T12:00:00Z"}], "name": "p"`, 1)
		if _, err := hook.Handle(corev1.SchemeGroupVersion.WithKind("Pod"), strings.NewReader(request), metav1.Time{}); err != nil || len(seen.ManagedFields) != test.want {
			t.Errorf("%s: error %v, %d entries of managedFields, want %d", reason, err, len(seen.ManagedFields), test.want)
		}
	}
}
