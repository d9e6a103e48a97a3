package composite

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

/*
Observed objects belong to the parent.

Metacontroller sends the objects of the parent's namespace, because children and all related rules are in that namespace, and the children whose
controller is the parent. It also sends an orphan that it has just adopted, whose controller it does not know yet. If a request has
any other object, it or its parent is not the real one. Then the children of the real parent would look as if they were missing.
*/

// maxChildren is the number of children that a parent may have: four times as many as any kind needs. Metacontroller deletes those that are not desired one
// after the other. Anybody can make hundreds of objects children of a parent, which would keep each of its ten workers for seconds.
const maxChildren = 64

// checkObjects refuses an observed object of another namespace, a child of another controller, and too many children.
func checkObjects[C, R any](parent metav1.Object, children *C, related *R) error {
	count := 0
	for key, group := range groupsOf(children) {
		if count += group.length(); count > maxChildren {
			return &ParentError{Err: fmt.Errorf("more than %d objects have this resource as their controller: delete those that it does not need", maxChildren)}
		}
		for i := range group.length() {
			child := group.at(i)
			if err := checkNamespace("children", key, child, parent); err != nil {
				return err
			}
			if err := checkController(key, child, parent); err != nil {
				return err
			}
		}
	}
	for key, group := range groupsOf(related) {
		for i := range group.length() {
			object := group.at(i)
			if err := checkNamespace("related", key, object, parent); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkNamespace(part, key string, object Object, parent metav1.Object) error {
	if object.GetNamespace() == parent.GetNamespace() {
		return nil
	}
	return refuse("%s.%s: %s is in namespace %q, but the parent is in namespace %q", part, key,
		text.Value(object.GetName()), text.Value(object.GetNamespace()), text.Value(parent.GetNamespace()))
}

func checkController(key string, child Object, parent metav1.Object) error {
	controlled, ok := child.(Controlled)
	if !ok {
		return nil
	}
	name, uid := controlled.GetController()
	if name == "" && uid == "" || name == parent.GetName() && uid == parent.GetUID() {
		return nil
	}
	return refuse("children.%s: %s belongs to %s with the UID %s, not to the parent %s with the UID %s", key,
		text.Value(child.GetName()), text.Value(name), text.Value(uid), text.Value(parent.GetName()), text.Value(parent.GetUID()))
}
