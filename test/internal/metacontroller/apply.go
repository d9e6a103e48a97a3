// Package metacontroller is a model of Metacontroller 4.17 with dynamic apply: which objects a hook observes, and how Metacontroller
// writes the children of a response. It has no client. The program compare compares
// it with the real one.
package metacontroller

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

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
	desired = withoutLastApplied(desired)
	after := merge.Apply(before.Object, LastApplied(before), desired.Object)
	for _, field := range systemFields {
		keep(before.Object["metadata"].(map[string]any), after["metadata"].(map[string]any), field)
	}
	keep(before.Object, after, "status")
	return annotated(&unstructured.Unstructured{Object: after}, desired)
}

// withoutLastApplied returns a desired child without the annotation that a hook has copied from the observed child.
func withoutLastApplied(desired *unstructured.Unstructured) *unstructured.Unstructured {
	if _, copied := desired.GetAnnotations()[observed.LastAppliedAnnotation]; !copied {
		return desired
	}
	desired = desired.DeepCopy()
	annotations := desired.GetAnnotations()
	delete(annotations, observed.LastAppliedAnnotation)
	desired.SetAnnotations(annotations)
	return desired
}

// LastApplied returns an observed child as Metacontroller applied it last; nil if this is unknown.
func LastApplied(child *unstructured.Unstructured) (last map[string]any) {
	_ = utiljson.Unmarshal([]byte(child.GetAnnotations()[observed.LastAppliedAnnotation]), &last) // Metacontroller fails the sync otherwise
	return last
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
	if err != nil {
		panic(err) // the child was decoded from JSON
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[observed.LastAppliedAnnotation] = string(text)
	object.SetAnnotations(annotations)
	return object
}
