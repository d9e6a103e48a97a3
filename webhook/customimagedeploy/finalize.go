package customimagedeploy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
)

// finalize takes down what was published in the order in which requests come in, so that none is sent to what is already
// gone: the Ingress, then the Service, then the Deployment. A child that is observed holds back those behind it, for as
// long as its own finalizers take. All of it follows from what is observed, so a teardown that was cut off anywhere goes
// on from there.
//
// A parent whose children are to be orphans takes nothing down and goes at once: when the garbage collector is done with
// them, one that is still observed as it was before would be taken for one that has to go.
func finalize(observed composite.Observed[*CustomImageDeploy, children, related]) (composite.Desired[Status], error) {
	return composite.Desired[Status]{
		Status:    status(observed),
		Children:  kept(observed.Parent, observed.Children),
		Finalized: orphaning(observed.Parent) || nextToGo(observed.Children) == "",
	}, nil
}

// orphaning reports whether the garbage collector takes the owner off the children, which is what --cascade=orphan asks for.
func orphaning(deploy *CustomImageDeploy) bool {
	return slices.Contains(deploy.Finalizers, metav1.FinalizerOrphanDependents)
}

// nextToGo is the kind of the children that have to go first of those that are observed, or "" when all are gone.
func nextToGo(observed children) string {
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

// kept are the children behind the one that goes next. None that is gone is made anew. An invalid parent does not say what
// to keep, and must not be kept from going: then all go at once.
func kept(deploy *CustomImageDeploy, observed children) []runtime.Object {
	if validate(deploy) != nil {
		return nil
	}
	if orphaning(deploy) {
		return published(deploy)
	}
	var keep []runtime.Object
	next := nextToGo(observed)
	if next == "Ingress" && observed.Services.Get(deploy.Namespace, deploy.Name) != nil {
		keep = append(keep, service(deploy))
	}
	if next != "Deployment" && observed.Deployments.Get(deploy.Namespace, deploy.Name) != nil {
		keep = append(keep, deployment(deploy))
	}
	return keep
}
