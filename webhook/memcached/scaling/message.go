package scaling

import (
	"fmt"
	"math"
	"time"
)

// The reasons of Progressing during a change of size.
const (
	// ReasonScaling is the reason while a change in several steps waits for the next step.
	ReasonScaling = "Scaling"
	// ReasonResizing is the reason during a change of size with proxies.
	ReasonResizing = "Resizing"
)

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
