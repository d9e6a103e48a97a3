package customimagedeploy

import (
	"fmt"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

// The reasons of a CustomImageDeploy that is not ready although its pods are.
const (
	ReasonServiceMissing = "ServiceMissing"
	ReasonIngressMissing = "IngressMissing"
	ReasonAddressPending = "AddressPending"
	ReasonTerminating    = "Terminating"
)

func status(observed composite.Observed[*CustomImageDeploy, children, related]) Status {
	deploy := observed.Parent
	pods := object.LivePods(observed.Related.Pods.All(), deploy.Namespace, selectorLabels(deploy))
	workload := observed.Children.Deployments.Get(deploy.Namespace, deploy.Name)
	ingress := observed.Children.Ingresses.Get(deploy.Namespace, deploy.Name)
	rollout := object.RolloutOf(workload, *size(deploy), deploy)
	switch {
	case observed.Finalizing:
		rollout.Held = terminating(deploy, observed.Children)
	case rollout.Settled():
		rollout.Held = unpublished(deploy, observed.Children.Services.Get(deploy.Namespace, deploy.Name), ingress)
	}
	status := Status{
		ReplicaStatus: rollout.Status(deploy.Status.ReplicaStatus, pods, selectorLabels(deploy), object.Remedies{}, observed.Now),
	}
	if ingress != nil {
		status.Address = ingress.Address()
	}
	return status
}

// unpublished says what keeps requests from pods that are ready, or nil. See Status.Address for when an address is awaited.
func unpublished(deploy *CustomImageDeploy, service *object.Object, ingress *object.Ingress) *object.Problem {
	switch {
	case service == nil:
		return missing(ReasonServiceMissing, "Service", deploy.Name)
	case service.Terminating():
		return replaced(ReasonServiceMissing, "Service", deploy.Name)
	case ingress == nil:
		return missing(ReasonIngressMissing, "Ingress", deploy.Name)
	case ingress.Terminating():
		return replaced(ReasonIngressMissing, "Ingress", deploy.Name)
	case deploy.Spec.IngressClassName != "" && ingress.Address() == "":
		return &object.Problem{
			Reason:  ReasonAddressPending,
			Message: fmt.Sprintf("the controller of Ingress class %s has not given an address yet", deploy.Spec.IngressClassName),
		}
	}
	return nil
}

func missing(reason, kind, name string) *object.Problem {
	const message = "%s %s is not there yet; if it does not come, one that belongs to something else has its name"
	return &object.Problem{Reason: reason, Message: fmt.Sprintf(message, kind, name)}
}

func replaced(reason, kind, name string) *object.Problem {
	return &object.Problem{Reason: reason, Message: fmt.Sprintf("%s %s is being deleted; once it is gone, it is made anew", kind, name)}
}

func terminating(deploy *CustomImageDeploy, observed children) *object.Problem {
	message := "nothing is left to take down"
	if orphaning(deploy) {
		message = "what is published stays, without an owner"
	} else if kind := nextToGo(observed); kind != "" {
		message = fmt.Sprintf("waiting until the %s is gone", kind)
	}
	return &object.Problem{Reason: ReasonTerminating, Message: message}
}
