package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

/*
The Job that copies items has failed.

This check looks at the Job of the warm-up that is under way. The warm-up goes on until its longest time, and items that no client uses
until then are lost.
*/

// ReasonCopyFailed is for a warm-up whose Job has failed.
var ReasonCopyFailed = conditions.Declare(conditions.Documentation{ID: "CopyFailed", Parent: "Memcached", Uses: conditions.UsesOfRisk,
	Meaning: "The Job that copies items during a change with proxies has failed. Items that no client uses before the warm-up ends are lost.",
	Remedy:  "Check the log of its pods, then delete the Job. The operator [creates it again](change.md#choose-the-time-of-the-warm-up)."})

// CopyFailed returns a finding if the Job of the warm-up that is under way has failed.
func CopyFailed(memcached *v1alpha1.Memcached, state scaling.State, p scaling.Plan) conditions.Finding {
	if p.Copy == (scaling.Routes{}) || p.Routes.Phase != scaling.Warming || state.Copy == nil || !state.Copy.Failed {
		return conditions.Finding{}
	}
	return conditions.Finding{Risk: ReasonCopyFailed.Risk(
		"Job %s has failed. Items that no client uses before the warm-up ends are lost. Check the log of its pods, then delete the Job: the operator creates it again.",
		proxy.WarmupName(memcached))}
}
