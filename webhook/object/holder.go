package object

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Holder is the object that has the name of a parent's workload, whoever owns it. Metacontroller sends an object as a child
// only when it belongs to the parent, and does not report that it could not create one because the name is taken.
type Holder struct {
	HolderMeta `json:"metadata"`
	Spec       skipped `json:"spec"`
	Status     skipped `json:"status"`
}

// HolderMeta is the part of a [Holder]'s metadata that rules read.
type HolderMeta struct {
	Name              string                  `json:"name"`
	Namespace         string                  `json:"namespace"`
	Labels            map[string]string       `json:"labels"`
	OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
	DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
	ManagedFields     skipped                 `json:"managedFields"`
}

// GetName returns metadata.name.
func (m HolderMeta) GetName() string { return m.Name }

// GetNamespace returns metadata.namespace.
func (m HolderMeta) GetNamespace() string { return m.Namespace }

// The reasons of a [Problem] when another object has the name of the parent's workload.
const (
	// ReasonOrphaned is for an object that a former parent of the same name left behind.
	ReasonOrphaned = "Orphaned"
	// ReasonNameTaken is for an object of another owner.
	ReasonNameTaken = "NameTaken"
)

// diagnoseHolder returns why the parent cannot have its workload, or nil. An object that is being deleted gives the name
// free by itself, and one that the parent owns is on its way into the view of children.
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
	case !hasLabels(o.Holder.Labels, o.Selector):
		return &Problem{Reason: ReasonNameTaken, Stalled: true, Message: fmt.Sprintf(
			"%s %s exists and is not managed by this operator. Delete it, or use another name.", kind, o.Holder.Name)}
	}
	return &Problem{Reason: ReasonOrphaned, Stalled: true, Message: fmt.Sprintf(
		"%s %s exists without an owner. To take it over with its pods, run: %s", kind, o.Holder.Name, handOver(o.Parent, o.Children))}
}

// Leftover is an object of a kind of workload that the parent does not use.
type Leftover struct {
	*Holder
	Kind string
}

// diagnoseLeftover returns that pods of a former parent's workload have the labels of this one's, so clients find them.
func diagnoseLeftover(o *Observation) *Problem {
	if o.Leftover == nil || o.Leftover.DeletionTimestamp != nil || controllerOf(o.Leftover.Holder) != nil || !hasLabels(o.Leftover.Labels, o.Selector) {
		return nil
	}
	return &Problem{Reason: ReasonOrphaned, Message: fmt.Sprintf(
		"%s %s exists without an owner, and its pods have the labels of this resource. To delete it, run: kubectl delete -n %s %s/%s",
		o.Leftover.Kind, o.Leftover.Name, o.Parent.GetNamespace(), strings.ToLower(o.Leftover.Kind), o.Leftover.Name)}
}

// controllerOf returns the owner that manages an object; nil when there is none.
func controllerOf(holder *Holder) *metav1.OwnerReference {
	for i, owner := range holder.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			return &holder.OwnerReferences[i]
		}
	}
	return nil
}

// handOver returns the command that makes the parent adopt its children. Metacontroller selects them by the label
// controller-uid.
func handOver(parent metav1.Object, children []runtime.Object) string {
	var objects []string
	for _, child := range children {
		objects = append(objects, strings.ToLower(child.GetObjectKind().GroupVersionKind().Kind)+"/"+child.(metav1.Object).GetName())
	}
	return fmt.Sprintf("kubectl label --overwrite -n %s %s controller-uid=%s", parent.GetNamespace(), strings.Join(objects, " "), parent.GetUID())
}
