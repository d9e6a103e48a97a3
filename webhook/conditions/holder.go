package conditions

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a [Problem] when another object has the name of the parent's workload.
const (
	// ReasonOrphaned means that a former parent of the same name left the object behind.
	ReasonOrphaned = "Orphaned"
	// ReasonNameTaken means that the object belongs to another owner.
	ReasonNameTaken = "NameTaken"
)

// diagnoseHolder returns the problem when another object has the name of the workload; nil when there is none. An
// object that is being deleted frees the name, and an object that the parent owns appears among the children soon.
func diagnoseHolder(o *Observation) *Problem {
	if o.Workload != nil || o.Holder == nil || o.Holder.DeletionTimestamp != nil || len(o.Children) == 0 {
		return nil
	}
	kind := o.Children[0].GetObjectKind().GroupVersionKind().Kind
	owner := controllerOf(o.Holder)
	switch {
	case owner != nil && owner.UID == o.Parent.GetUID():
		return nil
	case owner != nil:
		return &Problem{Reason: ReasonNameTaken, Stalled: true, Message: fmt.Sprintf(
			"%s %s belongs to %s %s. Delete it, or use another name.", kind, o.Holder.Name, owner.Kind, owner.Name)}
	case !selects(o.Selector, o.Holder):
		return &Problem{Reason: ReasonNameTaken, Stalled: true, Message: fmt.Sprintf(
			"%s %s exists and is not managed by this operator. Delete it, or use another name.", kind, o.Holder.Name)}
	}
	return &Problem{Reason: ReasonOrphaned, Stalled: true, Message: fmt.Sprintf(
		"%s %s exists without an owner. To take it over with its pods, run: %s", kind, o.Holder.Name, handOver(o.Parent, o.Children))}
}

// Leftover is a workload of a kind that the parent does not use, but that has the parent's name.
type Leftover struct {
	*observed.Holder
	Kind string
}

// diagnoseLeftover returns the problem when a former parent left a workload behind. Its pods have the labels of this
// parent's pods, so clients find them.
func diagnoseLeftover(o *Observation) *Problem {
	if o.Leftover == nil || o.Leftover.DeletionTimestamp != nil || controllerOf(o.Leftover.Holder) != nil || !selects(o.Selector, o.Leftover.Holder) {
		return nil
	}
	return &Problem{Reason: ReasonOrphaned, Message: fmt.Sprintf(
		"%s %s exists without an owner, and its pods have the labels of this resource. To delete it, run: kubectl delete -n %s %s/%s",
		o.Leftover.Kind, o.Leftover.Name, o.Parent.GetNamespace(), strings.ToLower(o.Leftover.Kind), o.Leftover.Name)}
}

func selects(selector map[string]string, holder *observed.Holder) bool {
	return k8slabels.SelectorFromSet(selector).Matches(k8slabels.Set(holder.Labels))
}

// controllerOf returns the owner reference of an object's controller; nil when there is none.
func controllerOf(holder *observed.Holder) *metav1.OwnerReference {
	for i, owner := range holder.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			return &holder.OwnerReferences[i]
		}
	}
	return nil
}

// handOver returns the command that makes the parent adopt the children. Metacontroller selects children by the label
// controller-uid.
func handOver(owner metav1.Object, children []runtime.Object) string {
	var objects []string
	for _, object := range children {
		objects = append(objects, strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind)+"/"+object.(metav1.Object).GetName())
	}
	return fmt.Sprintf("kubectl label --overwrite -n %s %s controller-uid=%s", owner.GetNamespace(), strings.Join(objects, " "), owner.GetUID())
}
