package scaling

import (
	"fmt"
	"math"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The reasons of Progressing during a change of size.
const (
	// ReasonScaling is the reason while a change in several steps waits for the next step.
	ReasonScaling = "Scaling"
	// ReasonResizing is the reason during a change of size with proxies.
	ReasonResizing = "Resizing"
)

var messages = map[v1alpha1.ResizePhase]string{
	v1alpha1.ResizeWaiting:         "Servers still have marks of an earlier change, or are still being removed.",
	v1alpha1.ResizeAddingServers:   "New servers start, and the proxies use them once all are ready.",
	v1alpha1.ResizePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.ResizeWarmingUp:       "The proxies are rolled out so that items move to the new list.",
	v1alpha1.ResizeClosing:         "The proxies are rolled out to use the new list. Items that have not moved are lost.",
	v1alpha1.ResizeRemovingServers: "Servers are removed once no running proxy uses them.",
}

// Progress returns the reason and the message of a change that is under way; "" if there is none.
func (s State) Progress(p Plan) (reason, message string) {
	if p.Proxy != nil && p.Proxy.Resize != nil && p.Proxy.Resize.From != p.Proxy.Resize.To {
		r := p.Proxy.Resize
		message = fmt.Sprintf("Resizing from %d to %d servers, phase %s: %s", r.From, r.To, r.Phase, messages[r.Phase])
		if r.Until == nil {
			return ReasonResizing, message
		}
		until := r.Until.UTC().Format(time.RFC3339)
		switch job := s.copyOf(p.Copy); {
		case job == nil:
			message += fmt.Sprintf(" The next phase begins after %s.", until)
		case job.Failed:
			message += fmt.Sprintf(" The Job that copies the items has failed. The next phase begins after %s.", until)
		default:
			message += fmt.Sprintf(" %d of %d servers are copied. The next phase begins when all are, or after %s.", job.Copied, job.Servers, until)
		}
		return ReasonResizing, message
	}
	if p.Scaling == nil || p.Scaling.Replicas == s.step(p.Scaling.Replicas) {
		return "", ""
	}
	from, next := p.Scaling.Replicas, s.step(p.Scaling.Replicas)
	return ReasonScaling, fmt.Sprintf("Scaling in steps from %d to %d replicas. The next step, to %d, follows at least %s after the last step and moves about %d%% of the keys of clients with consistent hashing.",
		from, s.Size, next, s.Interval, movedKeysPercent(from, next))
}

// movedKeysPercent returns the percentage of keys that consistent hashing maps to another server after a change of the
// number of servers.
func movedKeysPercent(from, to int32) int64 {
	low, high := min(from, to), max(from, to)
	if high == 0 {
		return 0
	}
	return int64(math.Round(float64(high-low) / float64(high) * 100))
}
