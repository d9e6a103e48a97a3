package customimagedeploy

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
)

// The reasons of a CustomImageDeploy that is not ready although its children are as desired.
const (
	ReasonAddressPending = "AddressPending"
	ReasonTerminating    = "Terminating"
)

// assess returns the status of a parent with these desired children, and the time after which it may differ although no
// object changed. A parent that is finalized has no desired children.
func assess(request *observation, children []runtime.Object) (Status, time.Duration, error) {
	deploy, seen := request.Parent, observe(request)
	seen.Children, seen.Observed = children, request.Child
	seen.Rollout = conditions.RolloutOf(seen.Workload, *size(deploy), deploy, seen.Pods)
	if request.Finalizing {
		seen.Teardown = teardown(request)
	} else {
		seen.Awaited = awaitedAddress(request)
	}
	assessed, err := conditions.Assess(seen)
	if err != nil {
		return Status{}, 0, err
	}
	return Status{ReplicaStatus: assessed.Status(seen), Address: address(request)}, assessed.Wait, nil
}

func observe(request *observation) *conditions.Observation {
	deploy := request.Parent
	return &conditions.Observation{
		Parent:    deploy,
		Before:    deploy.Status.ReplicaStatus,
		Workload:  request.Children.Deployments.Get(deploy.Namespace, deploy.Name),
		Holder:    request.Related.Deployments.Get(deploy.Namespace, deploy.Name),
		Pods:      observed.LivePods(request.Related.Pods.All(), deploy.Namespace, selectorLabels(deploy)),
		Selector:  selectorLabels(deploy),
		Container: containerName,
		Now:       request.Now,
	}
}

// address returns where the Ingress is reached; "" when that is not known.
func address(request *observation) string {
	ingress := request.Children.Ingresses.Get(request.Parent.Namespace, request.Parent.Name)
	if ingress == nil {
		return ""
	}
	return ingress.Address()
}

// awaitedAddress returns that the Ingress has no address yet. See Status.Address for when one is awaited.
func awaitedAddress(request *observation) *conditions.Problem {
	class := request.Parent.Spec.IngressClassName
	if class == "" || address(request) != "" {
		return nil
	}
	return &conditions.Problem{Reason: ReasonAddressPending, Message: fmt.Sprintf("The controller of IngressClass %s has not set an address yet.", class)}
}

// teardown returns what the finalizing of a parent waits for.
func teardown(request *observation) *conditions.Problem {
	message := "All children are gone."
	if orphaning(request.Parent) {
		message = "The children stay without an owner."
	} else if kind := nextToGo(&request.Children); kind != "" {
		message = fmt.Sprintf("Waiting until the %s is gone.", kind)
	}
	return &conditions.Problem{Reason: ReasonTerminating, Message: message}
}
