package customimagedeploy

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/object"
)

// The reasons of a CustomImageDeploy that is not ready although its children are as desired.
const (
	ReasonAddressPending = "AddressPending"
	ReasonTerminating    = "Terminating"
)

// assess returns the status of a parent with these desired children, and the time after which it may differ although no
// object changed. A parent that is finalized has no desired children.
func assess(observed *observation, children []runtime.Object) (Status, time.Duration, error) {
	deploy, seen := observed.Parent, observe(observed)
	seen.Children, seen.Observed = children, observed.Child
	seen.Rollout = object.RolloutOf(seen.Workload, *size(deploy), deploy, seen.Pods)
	if observed.Finalizing {
		seen.Teardown = teardown(observed)
	} else {
		seen.Awaited = awaitedAddress(observed)
	}
	assessed, err := object.Assess(seen)
	if err != nil {
		return Status{}, 0, err
	}
	return Status{ReplicaStatus: assessed.Status(seen), Address: address(observed)}, assessed.Wait, nil
}

func observe(observed *observation) *object.Observation {
	deploy := observed.Parent
	return &object.Observation{
		Parent:    deploy,
		Before:    deploy.Status.ReplicaStatus,
		Workload:  observed.Children.Deployments.Get(deploy.Namespace, deploy.Name),
		Holder:    observed.Related.Deployments.Get(deploy.Namespace, deploy.Name),
		Pods:      object.LivePods(observed.Related.Pods.All(), deploy.Namespace, selectorLabels(deploy)),
		Selector:  selectorLabels(deploy),
		Container: containerName,
		Now:       observed.Now,
	}
}

// address returns where the Ingress is reached; "" when that is not known.
func address(observed *observation) string {
	ingress := observed.Children.Ingresses.Get(observed.Parent.Namespace, observed.Parent.Name)
	if ingress == nil {
		return ""
	}
	return ingress.Address()
}

// awaitedAddress returns that the Ingress has no address yet. See Status.Address for when one is awaited.
func awaitedAddress(observed *observation) *object.Problem {
	class := observed.Parent.Spec.IngressClassName
	if class == "" || address(observed) != "" {
		return nil
	}
	return &object.Problem{Reason: ReasonAddressPending, Message: fmt.Sprintf("The controller of IngressClass %s has not set an address yet.", class)}
}

// teardown returns what the finalizing of a parent waits for.
func teardown(observed *observation) *object.Problem {
	message := "All children are gone."
	if orphaning(observed.Parent) {
		message = "The children stay without an owner."
	} else if kind := nextToGo(&observed.Children); kind != "" {
		message = fmt.Sprintf("Waiting until the %s is gone.", kind)
	}
	return &object.Problem{Reason: ReasonTerminating, Message: message}
}
