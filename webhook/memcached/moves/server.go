package moves

import "time"

// Pod is a pod. It may run as long as it exists, whatever its deletion timestamp.
type Pod struct {
	Name string
	// GraceEnds is the deletion timestamp, at which the grace period is over; nil if the pod is not being deleted.
	GraceEnds *time.Time
	// NodeLost reports whether the pod is being deleted and its node does not respond: its containers may run on, and the pod exists until
	// the node responds, or is known to be off.
	NodeLost bool
}

// Server is a pod with a server.
type Server struct {
	Pod
	State ServerState
	// Updated reports whether the pod has the pod template that the StatefulSet controller has observed last.
	Updated bool
	// DisruptionReason is the reason of the condition DisruptionTarget, such as EvictionByEvictionAPI; "" if the pod has none.
	DisruptionReason string
}

// ServerState is the state of a server, which follows from its pod and the time.
type ServerState int

const (
	// ServerEmpty has no items: its pod does not exist, starts, or memcached has crashed.
	ServerEmpty ServerState = iota
	// ServerUnready has items and is not ready, for a moment or because of another container: memcached runs since the pod was ready last.
	ServerUnready
	// ServerReady has items or may get some.
	ServerReady
	// ServerHolding is being deleted, and serves until no proxy is connected to it or its grace period ends.
	ServerHolding
	// ServerEnding is being deleted, and does not hold.
	ServerEnding
	// ServerStuck has been deleted, and its node does not respond or does not end it. It may still run.
	ServerStuck
)

// StuckDelay is how long after its grace period a pod is taken for one that does not end. A pod that was not ready before is not known to
// be lost.
const StuckDelay = time.Minute

// liveWithItems reports whether a server has items and is not being deleted.
func (s ServerState) liveWithItems() bool { return s == ServerUnready || s == ServerReady }

// serves reports whether a server responds to proxies.
func (s ServerState) serves() bool { return s == ServerReady || s == ServerHolding }

func (f Facts) state(ordinal int32) ServerState { return f.Servers[ordinal].State }

func (f Facts) notReady(ordinal int32) bool { return f.state(ordinal) != ServerReady }

func (f Facts) isStuck(ordinal int32) bool { return f.state(ordinal) == ServerStuck }

// mustMove reports whether the items of a server have to move: it is being deleted and serves for a while, or its node does not respond.
func (f Facts) mustMove(ordinal int32) bool {
	return f.Size > 0 && (f.isStuck(ordinal) || f.Proxies.Warmup > 0 && f.state(ordinal) == ServerHolding)
}
