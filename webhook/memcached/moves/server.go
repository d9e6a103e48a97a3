package moves

import "time"

/*
This file has what is observed of a server.

	pod                                          Ready  LiveWithItems  StillServes  Stuck  isEmpty
	is ready                                     yes    yes            no           no     no
	is not ready for a moment                    no     yes            no           no     no
	starts                                       no     no             no           no     yes
	memcached has crashed                        no     no             no           no     yes
	is being deleted, and holds                  no     no             yes          no     no
	is being deleted, and does not hold          no     no             no           no     no
	is being deleted, and its node is lost       no     no             no           yes    no
	exists a minute after its grace period       no     no             no           yes    no
	does not exist                               no     no             no           no     yes
*/

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
	// Ready is false for a pod that is being deleted, although it may still serve.
	Ready bool
	// LiveWithItems reports whether the pod is not being deleted, and memcached runs since the pod was ready last. So it is also true while
	// the pod is not ready for a moment, or because of another container.
	LiveWithItems bool
	// Updated reports whether the pod has the pod template that the StatefulSet controller observed last.
	Updated bool
	// CanHold reports whether the pod, while it is being deleted, serves until no proxy is connected to it or its grace period ends.
	CanHold bool
	// DisruptionReason is the reason of the condition DisruptionTarget, such as EvictionByEvictionAPI; "" if the pod has none.
	DisruptionReason string
}

// StillServes reports whether a server is being deleted, and still serves.
func (f Facts) StillServes(ordinal int32) bool {
	server := f.Servers[ordinal]
	return server.CanHold && server.GraceEnds != nil && server.GraceEnds.After(f.Now)
}

// stuckDelay is how long after its grace period a pod is taken for one that does not end. A pod that was not ready before is not known to
// be lost.
const stuckDelay = time.Minute

// Stuck reports whether a server has been deleted, and its node does not respond or does not end it. The server may still run.
func (f Facts) Stuck(ordinal int32) bool {
	server := f.Servers[ordinal]
	return server.NodeLost || server.GraceEnds != nil && !server.GraceEnds.Add(stuckDelay).After(f.Now)
}

func (f Facts) anyStuck() bool {
	for ordinal := range f.Servers {
		if f.Stuck(ordinal) {
			return true
		}
	}
	return false
}

// mustMove reports whether the items of a server have to move: it is being deleted and serves for a while, or its node does not respond.
func (f Facts) mustMove(ordinal int32) bool {
	return f.Size > 0 && (f.Stuck(ordinal) || f.Proxies.Warmup > 0 && f.StillServes(ordinal))
}

// isEmpty reports whether a server has no items: its pod does not exist, starts, or memcached has crashed.
func (f Facts) isEmpty(ordinal int32) bool {
	server := f.Servers[ordinal]
	return server.GraceEnds == nil && !server.Ready && !server.LiveWithItems
}
