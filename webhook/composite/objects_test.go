package composite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// owned is an observed child with a controller.
type owned struct {
	observedObject
	Owner struct {
		Name string    `json:"name"`
		UID  types.UID `json:"uid"`
	} `json:"owner"`
}

func (o owned) GetController() (string, types.UID) { return o.Owner.Name, o.Owner.UID }

// TestObjectsBelongToTheParent: an object that cannot be one of the parent shows that the request is wrong.
func TestObjectsBelongToTheParent(t *testing.T) {
	hook := Sync(func(Request[*corev1.ConfigMap, struct {
		Secrets Group[owned] `json:"Secret.v1"`
	}, pods]) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, nil
	})
	cases := []struct{ reason, parent, child, pod, message string }{
		{"all in one namespace", `"namespace": "n"`, `"namespace": "n"`, `"namespace": "n"`, ""},
		{"a person's objects without a namespace", `"generation": 1`, `"generation": 1`, `"generation": 1`, ""},
		{"a child without a namespace", `"namespace": "n"`, `"namespace": ""`, `"namespace": "n"`, `children.Secret.v1: a is in namespace "", but the parent is in namespace "n"`},
		{"a child of another namespace", `"namespace": "n"`, `"namespace": "m"`, `"namespace": "n"`, `children.Secret.v1: a is in namespace "m", but the parent is in namespace "n"`},
		{"a parent without a namespace", `"namespace": null`, `"namespace": "n"`, `"namespace": "n"`, `the parent is in namespace ""`},
		{"a pod of another namespace", `"namespace": "n"`, `"namespace": "n"`, `"namespace": "m"`, `related.Pod.v1: a is in namespace "m"`},
		{"a child whose controller is the parent", `"namespace": "n", "uid": "1"`, `"namespace": "n"}, "owner": {"name": "p", "uid": "1"`, `"namespace": "n"`, ""},
		{"a child of another UID", `"namespace": "n", "uid": "1"`, `"namespace": "n"}, "owner": {"name": "p", "uid": "2"`, `"namespace": "n"`, "children.Secret.v1: a belongs to p with the UID 2, not to the parent p with the UID 1"},
		{"a child of another name", `"namespace": "n", "uid": "1"`, `"namespace": "n"}, "owner": {"name": "q", "uid": "1"`, `"namespace": "n"`, "a belongs to q"},
	}
	for _, test := range cases {
		_, err := call(t, hook, `{"parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", `+test.parent+`}},
			"children": {"Secret.v1": {"a": {"metadata": {"name": "a", `+test.child+`}}}}, "related": {"Pod.v1": {"a": {"metadata": {"name": "a", `+test.pod+`}}}}}`)
		if test.message == "" && err != nil || test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want an error with %q", test.reason, err, test.message)
		}
	}
}

// TestTooManyChildren: Metacontroller would delete all that are not desired.
func TestTooManyChildren(t *testing.T) {
	hook := Sync(func(Request[*corev1.ConfigMap, struct {
		Secrets Group[owned] `json:"Secret.v1"`
	}, pods]) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, nil
	})
	objects := func(count int) string {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(`"%d": {"metadata": {"name": "%[1]d", "namespace": "n"}}`, i))
		}
		return strings.Join(all, ",")
	}
	for children, want := range map[int]error{maxChildren: nil, maxChildren + 1: errManyChildren} {
		_, err := call(t, hook, `{"parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}},
			"children": {"Secret.v1": {`+objects(children)+`}}, "related": {"Pod.v1": {`+objects(1000)+`}}}`)
		if !errors.Is(err, want) {
			t.Errorf("%d children and 1,000 pods: error %v, want %v", children, err, want)
		}
	}
}
