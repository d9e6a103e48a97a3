package conditions

import (
	"cmp"
	"fmt"
	"slices"
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
		Meaning: "The child does not exist, or is being deleted. Either the API server rejects it, or an object with the same name has another owner. The operator reports this after a minute, or immediately if pods run without their NetworkPolicy (`OpenToAll`).",
		Remedy:  "Check the Events of the resource. If an object with the same name has another owner, rename that object or the resource."})
	// ReasonChildOutdated is the class of reasons of a child that differs from the desired state: NetworkPolicyOutdated.
	ReasonChildOutdated = NewReason(SeverityOverdue, Documentation{ID: "<Kind>Outdated",
		Meaning: "The child differs from the desired state. The message names the field. The operator reports this after a minute. Either the API server rejects the update, or another client changes the child after each apply.",
		Remedy:  "Check the Events of the resource, one of which reports why the API server rejects the update. If a policy changes the child, exclude the child from it."})
)

// observedChild is a child of any kind.
type observedChild interface {
	merge.Child
	Terminating() bool
}

// operatorAnnotations are the annotations in which the operator records what it applied.
const operatorAnnotations = "metadata.annotations.memcached-operator.example.com/"

// childState is how an observed child compares with the desired one. Both are nil if it matches.
type childState struct {
	pending *Progress
	// recordOnly reports whether the child differs only in what the operator records.
	recordOnly bool
	// changed is what others have changed, although the child matches the desired state.
	changed *Risk
}

// compareChildren returns the first desired child that is missing or differs from the desired state, and the first one that others have
// changed; nil if there is none. A child that differs only in what the operator records is the last choice: the change of a user, which
// changes the record, is in another one.
func compareChildren(in *Input) (pending *Progress, changed *Risk, err error) {
	if isOrphaned(in) {
		return adoptionPending(in), nil, nil
	}
	var unrecorded *Progress
	for _, desired := range in.Children {
		state, err := compareChild(desired, in.Child(desired), in.SpecField)
		if err != nil || state.pending != nil && !state.recordOnly {
			return state.pending, nil, err
		}
		unrecorded, changed = cmp.Or(unrecorded, state.pending), cmp.Or(changed, state.changed)
	}
	return unrecorded, changed, nil
}

func compareChild(desired runtime.Object, existing any, specField SpecField) (childState, error) {
	kind, name := desired.GetObjectKind().GroupVersionKind().Kind, desired.(metav1.Object).GetName()
	child, found := existing.(observedChild)
	if !found {
		return childState{pending: missingReason(kind).Progress("%s %s does not exist, or has another owner. Check the Events of this resource.", kind, name)}, nil
	}
	if child.Terminating() {
		return childState{pending: missingReason(kind).Progress("%s %s is being deleted. Metacontroller will recreate it.", kind, name)}, nil
	}
	difference, err := merge.Compare(desired, child)
	if err != nil {
		return childState{}, fmt.Errorf("comparing %s %s: %w", kind, name, err)
	}
	if len(difference.Changes) == 0 {
		return childState{}, nil
	}
	outdated, field := ReasonChildOutdated.named(kind+"Outdated"), difference.Changes[0].Path
	switch {
	case difference.Applied:
		message := changedText(kind, name, difference.Changes, specField)
		if slices.ContainsFunc(difference.Changes, func(change merge.Change) bool { return !runsAsDesired(change.Path) }) {
			return childState{pending: outdated.Progress("%s", message)}, nil
		}
		return childState{changed: ReasonChangedByOthers.Risk("%s", message)}, nil
	case strings.HasPrefix(field, operatorAnnotations):
		return childState{
			pending:    outdated.Progress("%s %s has not been updated to match the latest change to this resource. Check the Events of this resource.", kind, name),
			recordOnly: true,
		}, nil
	}
	return childState{pending: outdated.Progress("%s %s differs from the desired state in %s. Check the Events of this resource.", kind, name, field)}, nil
}

func missingReason(kind string) Reason { return ReasonChildMissing.named(kind + "Missing") }
