package customimagedeploy

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
)

// Reasons are the reasons of this package.
var Reasons = []conditions.Reason{ReasonAddressPending, ReasonTerminating}

// ReasonAddressPending is for a CustomImageDeploy whose Ingress has no address.
var ReasonAddressPending = conditions.NewReason(conditions.SeverityProgress, conditions.Documentation{ID: "AddressPending", Parent: "CustomImageDeploy",
	Meaning: "The controller of `spec.ingressClassName` has not set the address of the Ingress yet.",
	Remedy:  "If this state persists, check that the IngressClass exists and that its controller runs."})

// inputOf returns what the parent is assessed from. The hooks set Children, Awaited and Teardown.
func inputOf(request *syncRequest) conditions.Input {
	deploy := request.Parent
	workload := request.Children.Deployments.Get(deploy.Namespace, deploy.Name)
	pods := observed.LivePods(request.Related.Pods.All(), deploy.Namespace, selectorLabels(deploy))
	return conditions.Input{
		Parent:    deploy,
		Before:    deploy.Status.ReplicaStatus,
		Workload:  workload,
		Rollout:   conditions.RolloutOf(workload, *size(deploy), deploy, pods),
		Pods:      pods,
		Selector:  selectorLabels(deploy),
		Container: containerName,
		SpecField: conditions.ImageField,
		Child:     request.Child,
		Now:       request.Now,
	}
}

// address returns the address of the Ingress; "" if it is unknown.
func address(request *syncRequest) string {
	observedIngress := request.Children.Ingresses.Get(request.Parent.Namespace, request.Parent.Name)
	if observedIngress == nil {
		return ""
	}
	return observedIngress.Address()
}

// awaitedAddress returns what Ready waits for while the Ingress has no address; nil if it does not wait. See
// Status.Address.
func awaitedAddress(request *syncRequest) *conditions.Progress {
	class := request.Parent.Spec.IngressClassName
	if class == "" || address(request) != "" {
		return nil
	}
	return ReasonAddressPending.Progress("The controller of IngressClass %s has not set an address yet.", class)
}
