package conditions

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
)

/*
A desired child does not exist, or differs from the desired state.

This check compares each desired child with the observed one, in every field that the operator sets. A parent waits for the child. After
a minute, the child is a problem: see overdue.go.
*/

var (
	// ReasonChildMissing is the class of reasons of a child that does not exist. The reason begins with the kind: ServiceMissing.
	ReasonChildMissing = NewReason(SeverityOverdue, Documentation{ID: "<Kind>Missing",
		Meaning: "The child does not exist, or is being deleted. Either the API server rejects it, or an object with its name belongs to another owner. It is a problem after a minute. For a NetworkPolicy of running pods it is a problem immediately (`OpenToAll`).",
		Remedy:  "Check the Events of the resource. If another object has the name, rename that object, or use another name for the resource."})
	// ReasonChildOutdated is the class of reasons of a child that differs from the desired state: NetworkPolicyOutdated.
	ReasonChildOutdated = NewReason(SeverityOverdue, Documentation{ID: "<Kind>Outdated",
		Meaning: "The child differs from the desired state; the message names the field. It is a problem after a minute.",
		Remedy:  "Check the Events of the resource: one reports why the API server rejects the update."})
)

// observedChild is a child of any kind.
type observedChild interface {
	merge.Child
	Terminating() bool
}

// operatorAnnotations are the annotations in which the operator records what it applied.
const operatorAnnotations = "metadata.annotations.memcached-operator.example.com/"

// pendingChild returns the first desired child that is missing or differs from the desired state; nil if there is none. A child
// that differs only in what the operator records is the last choice: the change of a user, which changes the record, is in another one.
func pendingChild(in *Input) (*Progress, error) {
	if isOrphaned(in) {
		return adoptionPending(in), nil
	}
	var unrecorded *Progress
	for _, desired := range in.Children {
		pending, recordOnly, err := compareChild(desired, in.Child(desired))
		if err != nil || pending != nil && !recordOnly {
			return pending, err
		}
		unrecorded = cmp.Or(unrecorded, pending)
	}
	return unrecorded, nil
}

// compareChild returns how a child differs; nil if it does not, and whether it differs only in what the operator records.
func compareChild(desired runtime.Object, existing any) (pending *Progress, recordOnly bool, err error) {
	kind, name := desired.GetObjectKind().GroupVersionKind().Kind, desired.(metav1.Object).GetName()
	child, found := existing.(observedChild)
	if !found {
		return missing(kind).Progress("%s %s does not exist, or belongs to another owner. Check the Events of this resource.", kind, name), false, nil
	}
	if child.Terminating() {
		return missing(kind).Progress("%s %s is being deleted. Metacontroller creates it again afterwards.", kind, name), false, nil
	}
	difference, err := merge.Compare(desired, child)
	if err != nil {
		return nil, false, fmt.Errorf("comparing %s %s: %w", kind, name, err)
	}
	if len(difference.Changes) == 0 {
		return nil, false, nil
	}
	field := difference.Changes[0].Path
	outdated := ReasonChildOutdated.named(kind + "Outdated")
	if strings.HasPrefix(field, operatorAnnotations) {
		return outdated.Progress("%s %s is not updated for the latest change of this resource. Check the Events of this resource.", kind, name), true, nil
	}
	return outdated.Progress("%s %s differs from the desired state in %s. Check the Events of this resource.", kind, name, field), false, nil
}

func missing(kind string) Reason { return ReasonChildMissing.named(kind + "Missing") }
