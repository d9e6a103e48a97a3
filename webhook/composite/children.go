package composite

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Child returns the observed child with the kind, namespace and name of a desired child: a pointer to the element type of
// its [Group], or nil.
func (r *Request[P, C, R]) Child(desired runtime.Object) any {
	kind, object := groupKey(desired.GetObjectKind().GroupVersionKind()), desired.(metav1.Object)
	for key, group := range groupsOf(&r.Children) {
		if key == kind {
			return group.find(object.GetNamespace(), object.GetName())
		}
	}
	return nil
}

// Listed returns the desired children whose kinds the CompositeController lists. Metacontroller would never delete the others.
func (r *Request[P, C, R]) Listed(desired []runtime.Object) []runtime.Object {
	missing := missingGroups(&r.Children)
	return slices.DeleteFunc(desired, func(child runtime.Object) bool {
		return slices.Contains(missing, groupKey(child.GetObjectKind().GroupVersionKind()))
	})
}

// ListedKinds returns the kinds of children that the CompositeController lists.
func (r *Request[P, C, R]) ListedKinds() sets.Set[string] {
	listed := sets.New[string]()
	for key, group := range groupsOf(&r.Children) {
		if kind, _, _ := strings.Cut(key, "."); group.Listed() {
			listed.Insert(kind)
		}
	}
	return listed
}
