package requests

import (
	"encoding/json"
	"maps"

	jsonv2 "github.com/go-json-experiment/json"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

// Applied returns a child as it is observed after Metacontroller has created it.
func Applied[T any](child runtime.Object) T {
	text, err := json.Marshal(child)
	must(err)
	annotations := map[string]string{observed.LastAppliedAnnotation: string(text)}
	maps.Copy(annotations, child.(metav1.Object).GetAnnotations())
	child.(metav1.Object).SetAnnotations(annotations)
	text, err = json.Marshal(child)
	must(err)
	var result T
	must(jsonv2.Unmarshal(text, &result))
	return result
}

// Created returns a desired child as Metacontroller creates it, apart from its owner.
func Created(desired *unstructured.Unstructured) *unstructured.Unstructured {
	return annotated(desired.DeepCopy(), desired)
}

// systemFields are the metadata of a child that Metacontroller never changes.
var systemFields = []string{"selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"}

// Updated returns an observed child as Metacontroller updates it. Metacontroller skips the update if the result is equal.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/controller/common/manage_children.go
func Updated(before, desired *unstructured.Unstructured) *unstructured.Unstructured {
	var last map[string]any
	if text := before.GetAnnotations()[observed.LastAppliedAnnotation]; text != "" {
		var child unstructured.Unstructured
		must(child.UnmarshalJSON([]byte(text)))
		last = child.Object
	}
	after := merge.Apply(before.Object, last, desired.Object)
	for _, field := range systemFields {
		keep(before.Object["metadata"].(map[string]any), after["metadata"].(map[string]any), field)
	}
	keep(before.Object, after, "status")
	return annotated(&unstructured.Unstructured{Object: after}, desired)
}

// keep keeps a field as it was, also if it was absent.
func keep(before, after map[string]any, field string) {
	if value, found := before[field]; found {
		after[field] = value
		return
	}
	delete(after, field)
}

func annotated(object, desired *unstructured.Unstructured) *unstructured.Unstructured {
	text, err := json.Marshal(desired.Object)
	must(err)
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[observed.LastAppliedAnnotation] = string(text)
	object.SetAnnotations(annotations)
	return object
}
