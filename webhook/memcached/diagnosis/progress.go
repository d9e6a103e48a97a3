package diagnosis

import (
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

/*
A change of size or of the pods takes several steps or phases.

The progress follows from the plan of the change. Its message stays the same during a step or a phase.
*/

// The reasons of a change.
var (
	ReasonScaling = conditions.NewReason(conditions.Documentation{ID: scaling.ReasonScaling, Parent: "Memcached", Uses: conditions.UsesOfProgress,
		Meaning: "A change of size in steps; the message has the next one: [In steps](change.md#in-steps)."})
	ReasonMoving = conditions.NewReason(conditions.Documentation{ID: scaling.ReasonMoving, Parent: "Memcached", Uses: conditions.UsesOfProgress,
		Meaning: "A change of size or of the pods with proxies; the message has the phase: [Phases](change.md#phases). A warm-up takes at most `spec.proxy.warmup.maxSeconds`."})
)

// Progress returns the progress of a change of size; nil if there is none.
func Progress(facts scaling.Facts, d scaling.Decision) *conditions.Progress {
	switch reason, message := facts.Progress(d); reason {
	case scaling.ReasonScaling:
		return ReasonScaling.Progress("%s", message)
	case scaling.ReasonMoving:
		return ReasonMoving.Progress("%s", message)
	}
	if d.Proxy != nil && !facts.Proxies.Desired {
		return ReasonMoving.Progress("Proxies are being removed. The servers stay as they are until no proxy runs.")
	}
	return nil
}
