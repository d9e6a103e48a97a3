package composite

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Child returns the observed child with the kind, namespace and name of a desired child: a pointer to the element type of
// its [Group], or nil.
func (o *Observed[P, C, R]) Child(desired runtime.Object) any {
	kind, object := groupKey(desired.GetObjectKind().GroupVersionKind()), desired.(metav1.Object)
	for key, group := range groupsOf(&o.Children) {
		if key == kind {
			return group.find(object.GetNamespace(), object.GetName())
		}
	}
	return nil
}

// Listed returns the desired children whose kinds the CompositeController lists. Metacontroller would never delete the others.
func (o *Observed[P, C, R]) Listed(desired []runtime.Object) []runtime.Object {
	missing := missingGroups(&o.Children)
	return slices.DeleteFunc(desired, func(child runtime.Object) bool {
		return slices.Contains(missing, groupKey(child.GetObjectKind().GroupVersionKind()))
	})
}

// LastApplied returns every observed child as Metacontroller applied it last. A response with these children changes nothing
// in the cluster. LastApplied returns an error if a child has no valid annotation with its last applied configuration.
func (o *Observed[P, C, R]) LastApplied() ([]runtime.Object, error) {
	parent := any(o.Parent).(metav1.Object)
	var children []runtime.Object
	for key, group := range groupsOf(&o.Children) {
		for object := range group.objects() {
			child, err := lastApplied(key, object, parent)
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
	}
	return children, nil
}

func lastApplied(key string, object Object, parent metav1.Object) (runtime.Object, error) {
	name := object.GetName()
	annotated, ok := object.(interface{ GetLastApplied() string })
	if !ok || annotated.GetLastApplied() == "" {
		return nil, fmt.Errorf("%s %s has no annotation metacontroller.k8s.io/last-applied-configuration", key, name)
	}
	var child unstructured.Unstructured
	if err := child.UnmarshalJSON([]byte(annotated.GetLastApplied())); err != nil {
		return nil, fmt.Errorf("parsing the last applied configuration of %s %s: %w", key, name, err)
	}
	if groupKey(child.GroupVersionKind()) != key || child.GetName() != name || child.GetNamespace() != "" && child.GetNamespace() != parent.GetNamespace() {
		return nil, fmt.Errorf("the last applied configuration of %s %s is that of %s %s", key, name, child.GetKind(), child.GetName())
	}
	// Metacontroller adds this label if it is missing, and refuses the UID of another parent, which an adopted child has.
	if child.GetLabels()["controller-uid"] != string(parent.GetUID()) {
		unstructured.RemoveNestedField(child.Object, "metadata", "labels", "controller-uid")
	}
	return &child, nil
}

// Keep returns the response for a parent with an invalid spec: the children as they were applied last, and a status with the
// cause. If a child's last applied configuration is unknown, Keep returns the cause as a [ParentError], which changes nothing
// in the cluster either.
func Keep[P, C, R, S any](observed *Observed[P, C, R], status S, cause error) (Desired[S], error) {
	children, err := observed.LastApplied()
	if err != nil {
		return Desired[S]{}, &ParentError{Err: cause}
	}
	return Desired[S]{Status: status, Children: children}, nil
}
