package customimagedeploy

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

// ReasonTerminating is for a CustomImageDeploy that is being deleted.
var ReasonTerminating = conditions.NewReason(conditions.SeverityProgress, conditions.Documentation{ID: "Terminating", Parent: "CustomImageDeploy",
	Meaning: "The resource is being deleted: first its Ingress, then its Service, then its Deployment. The message names the child that the deletion waits for."})

// finalize deletes the children in the order in which requests pass them: the Ingress, then the Service, then the
// Deployment. So no request reaches a deleted child. Each child is deleted when the one before it no longer exists,
// including its finalizers. Every step follows from the observed state, so an interrupted teardown continues.
//
// A parent whose children become orphans deletes nothing and is finalized immediately: once the garbage collector has
// removed the owner references, a child that is still observed with its owner would be deleted.
func finalize(request syncRequest) (syncResponse, error) {
	input := inputOf(&request)
	input.Teardown = teardown(&request)
	assessment, err := conditions.Assess(&input)
	if err != nil {
		return syncResponse{}, err
	}
	children, err := remaining(&request)
	if err != nil {
		return syncResponse{}, err
	}
	return syncResponse{
		Status:    v1.CustomImageDeployStatus{ReplicaStatus: assessment.Status(), Address: address(&request)},
		Children:  children,
		Finalized: orphaning(request.Parent) || nextKind(&request.Children) == "",
	}, nil
}

// teardown returns what the finalization of a parent waits for.
func teardown(request *syncRequest) *conditions.Progress {
	message := "All children have been deleted."
	if orphaning(request.Parent) {
		message = "The children remain without an owner."
	} else if kind := nextKind(&request.Children); kind != "" {
		message = fmt.Sprintf("Waiting until the %s has been deleted.", kind)
	}
	return ReasonTerminating.Progress("%s", message)
}

// orphaning reports whether the garbage collector removes the owner references of the children, as with --cascade=orphan.
func orphaning(deploy *v1.CustomImageDeploy) bool {
	return slices.Contains(deploy.Finalizers, metav1.FinalizerOrphanDependents)
}

// nextKind returns the kind of child that is deleted next; "" if no child is left.
func nextKind(children *childGroups) string {
	switch {
	case children.Ingresses.Len() > 0:
		return "Ingress"
	case children.Services.Len() > 0:
		return "Service"
	case children.Deployments.Len() > 0:
		return "Deployment"
	}
	return ""
}

// remaining returns the observed children that are not deleted yet, as they were applied last, so that a changed or invalid
// spec does not matter. When that is unknown, or each apply would write it again, they follow from spec. With an invalid spec all children are deleted at
// the same time; orphans are not: remaining then returns the error of spec.
func remaining(request *syncRequest) ([]runtime.Object, error) {
	all, err := request.LastApplied(orphaning(request.Parent))
	if err != nil {
		switch invalid := validate(request.Parent); {
		case invalid == nil:
			all = desiredChildren(request.Parent)
		case orphaning(request.Parent):
			return nil, &composite.ParentError{Err: invalid}
		}
	}
	return slices.DeleteFunc(all, func(child runtime.Object) bool {
		return request.Child(child) == nil || !remains(child.GetObjectKind().GroupVersionKind().Kind, request)
	}), nil
}

// remains reports whether children of a kind are not deleted yet.
func remains(kind string, request *syncRequest) bool {
	if orphaning(request.Parent) {
		return true
	}
	switch nextKind(&request.Children) {
	case "Ingress":
		return kind != "Ingress"
	case "Service":
		return kind == "Deployment"
	}
	return false
}
