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

// Progress returns the reason and the message of a change that is under way; "" if there is none. The message stays the same
// during a phase.
func (s State) Progress(p Plan) (reason, message string) {
	if p.Proxy != nil && p.Proxy.Resize != nil && p.Proxy.Resize.From != p.Proxy.Resize.To {
		return ReasonResizing, resizing(p.Proxy.Resize)
	}
	if p.Current == p.Next {
		return "", ""
	}
	return ReasonScaling, fmt.Sprintf("Scaling in steps from %d to %d replicas. The next step, to %d, follows at least %s after the last step and moves about %d%% of the keys of clients with consistent hashing.",
		p.Current, s.Size, p.Next, s.Interval, movedKeysPercent(p.Current, p.Next))
}

func resizing(r *v1alpha1.ResizeStatus) string {
	return fmt.Sprintf("Resizing from %d to %d servers, phase %s: %s", r.From, r.To, r.Phase, phaseMessage(r))
}

func phaseMessage(r *v1alpha1.ResizeStatus) string {
	switch r.Phase {
	case v1alpha1.ResizeWaiting:
		if r.Until != nil {
			return fmt.Sprintf("The servers have marks of an earlier change until %s. The next phase, Preparing, begins afterwards.", r.Until.UTC().Format(time.RFC3339))
		}
		return "Servers of the same names are still being removed. The next phase, AddingServers, begins afterwards."
	case v1alpha1.ResizeAddingServers:
		return "New servers start, and the proxies use them once all are ready."
	case v1alpha1.ResizePreparing:
		return fmt.Sprintf("The proxies use %d servers, and are rolled out so that they find items that move. The next phase, WarmingUp, begins after this rollout.", r.From)
	case v1alpha1.ResizeWarmingUp:
		if r.Until != nil {
			return fmt.Sprintf("Each item that a client uses moves to the new list of %d servers, until %s.", r.To, r.Until.UTC().Format(time.RFC3339))
		}
		return fmt.Sprintf("The proxies are rolled out so that each item that a client uses moves to the new list of %d servers. The warm-up begins after this rollout.", r.To)
	case v1alpha1.ResizeClosing:
		return fmt.Sprintf("The proxies are rolled out to use %d servers. Items that have not moved are lost.", r.To)
	case v1alpha1.ResizeRemovingServers:
		return "Servers are removed once no running proxy uses them."
	}
	return ""
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
