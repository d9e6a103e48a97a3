package customimagedeploy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
)

// finalize deletes the children in the order in which requests pass them, so that none reaches a child that is already gone:
// the Ingress, then the Service, then the Deployment. A child that is observed holds back those behind it, for as long as
// its own finalizers take. All of this follows from the observed state, so a teardown that was interrupted continues.
//
// A parent whose children become orphans deletes nothing and goes immediately: once the garbage collector has removed the
// owner from the children, a child that is still observed with its owner would be deleted.
func finalize(request observation) (composite.Desired[Status], error) {
	status, _, err := assess(&request, nil)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	return composite.Desired[Status]{
		Status:    status,
		Children:  kept(&request),
		Finalized: orphaning(request.Parent) || nextToGo(&request.Children) == "",
	}, nil
}

// orphaning reports whether the garbage collector removes the owner from the children, as --cascade=orphan requests.
func orphaning(deploy *CustomImageDeploy) bool {
	return slices.Contains(deploy.Finalizers, metav1.FinalizerOrphanDependents)
}

// nextToGo returns the kind of child that is deleted now, "" when all are gone.
func nextToGo(observed *children) string {
	switch {
	case observed.Ingresses.Len() > 0:
		return "Ingress"
	case observed.Services.Len() > 0:
		return "Service"
	case observed.Deployments.Len() > 0:
		return "Deployment"
	}
	return ""
}

// kept returns the observed children that are not deleted yet, as they were applied last: a spec that changed since, or is
// invalid, does not matter any more. Where that is not known they follow from spec, and with an invalid spec all go at once.
func kept(request *observation) []runtime.Object {
	all, err := request.LastApplied()
	if err != nil {
		if validate(request.Parent) != nil {
			return nil
		}
		all = published(request.Parent)
	}
	return slices.DeleteFunc(all, func(child runtime.Object) bool {
		return request.Child(child) == nil || !stays(child.GetObjectKind().GroupVersionKind().Kind, request)
	})
}

// stays reports whether children of a kind are not deleted yet.
func stays(kind string, request *observation) bool {
	if orphaning(request.Parent) {
		return true
	}
	switch nextToGo(&request.Children) {
	case "Ingress":
		return kind != "Ingress"
	case "Service":
		return kind == "Deployment"
	}
	return false
}
