package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
Pods run without the NetworkPolicy that should protect them.

This check looks for a desired NetworkPolicy that does not exist while the container of a pod runs. Unlike other missing children, it
is a problem immediately. A spec that has just enabled the NetworkPolicy gets one sync to create it.
*/

// ReasonOpenToAll is for pods whose NetworkPolicy is missing.
var ReasonOpenToAll = NewReason(SeverityProblem, Documentation{ID: "OpenToAll", Parent: "Memcached",
	Meaning: "The NetworkPolicy in the message does not exist, but pods run. Every peer that can reach the pods can connect.",
	Remedy:  "Check the Events of the resource, one of which reports why the API server rejects the NetworkPolicy. If the pods must not be open until it exists, stop them with `size: 0`. If they may be open, set `spec.networkPolicy.enabled: false`."})

func exposed(c checked) Finding {
	running := func(pod *observed.Pod) bool { return pod.ContainerRunning(c.Container) }
	if c.Workload == nil || c.Before.ObservedGeneration < c.Parent.GetGeneration() || !slices.ContainsFunc(c.Pods, running) {
		return Finding{}
	}
	for _, desired := range c.Children {
		if desired.GetObjectKind().GroupVersionKind().Kind != "NetworkPolicy" {
			continue
		}
		if _, found := c.Child(desired).(observedChild); !found {
			return Finding{Problem: ReasonOpenToAll.Problem("The pods are open to every peer, because NetworkPolicy %s does not exist or has another owner. Check the Events of this resource.",
				desired.(metav1.Object).GetName())}
		}
	}
	return Finding{}
}
