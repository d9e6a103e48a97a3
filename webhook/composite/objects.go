package composite

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

/*
Observed objects belong to the parent.

Metacontroller sends the objects of the parent's namespace, because children and all related rules are in that namespace, and the children whose
controller is the parent. It also sends an orphan that it has just adopted, whose controller it does not know yet. If a request has
any other object, it or its parent is not the real one. Then the children of the real parent would look as if they were missing.
*/

// checkObjects refuses an observed object of another namespace, and a child of another controller.
func checkObjects[C, R any](parent metav1.Object, children *C, related *R) error {
	for key, group := range groupsOf(children) {
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
