package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
)

/*
A server whose items should move when it is deleted does not hold.

This check looks at the sidecar hold in each pod that runs memcached, whatever the reason is that it does not run. Servers without a warm-up
have none, because their items never move.
*/

// ReasonHoldNotRunning is for servers that end at once when they are deleted.
var ReasonHoldNotRunning = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "HoldNotRunning", Parent: "Memcached",
	Meaning: "The sidecar `hold` is not running in a server, so a drain, an eviction or a deletion of its pod [loses its items](change.md#drains). Either the operator ran without `--operator-image` when the pod was created, or the pod has an old template, or the sidecar has failed.",
	Remedy:  "The message names a pod. Run the operator with `--operator-image`. Then change the pod template, for example `spec.podAnnotations`, so that the items move to new pods with the sidecar."})

func holdNotRunning(in *Input) conditions.Finding {
	count, first := 0, ""
	for _, pod := range in.Pods {
		if !in.Memcached.Spec.WarmsUp() || !pod.ContainerRunning(children.ContainerName) || pod.SidecarRunning(children.HoldName) {
			continue
		}
		count++
		if first == "" || pod.Name < first {
			first = pod.Name
		}
	}
	if count == 0 {
		return conditions.Finding{}
	}
	remedy := "Pods with an old template are replaced automatically; for all other pods, check why the sidecar is not running."
	if !in.Images.HasHold() {
		remedy = "Run the operator with --operator-image; the next change to the pod template, for example to spec.podAnnotations, adds the sidecar."
	}
	return conditions.Finding{Risk: ReasonHoldNotRunning.Risk(
		"The sidecar hold is not running in %d of %d pods, such as %s, so items are lost if such a pod is drained or deleted. %s", count, len(in.Pods), first, remedy)}
}
