package scaling

import "strconv"

// Set is one of the two StatefulSets in which servers may run. A change of the pod template moves the items from the set in use to the
// other one, which exists during the move only. A Deployment is the first set.
type Set int8

// The sets. The second one has the name of the first one with [Set.Suffix].
const (
	First Set = iota
	Second
)

// Other returns the other set.
func (s Set) Other() Set { return Second - s }

// Suffix returns what the name of the set has in addition to the name of the parent.
func (s Set) Suffix() string {
	if s == Second {
		return "-b"
	}
	return ""
}

// Servers are the first pods of a set.
type Servers struct {
	Set   Set
	Count int32
}

// String returns "3", or "3b" for servers of the second set.
func (s Servers) String() string {
	text := strconv.Itoa(int(s.Count))
	if s.Set == Second {
		text += "b"
	}
	return text
}

// ObservedSet is what is observed of a set.
type ObservedSet struct {
	// Workload is nil if it is not observed.
	Workload *Workload
	// Servers are the pods by ordinal that exist. Only the pods of a StatefulSet have ordinals.
	Servers map[int32]Server
	// Recorded is the number of servers in status.
	Recorded int32
}

// DesiredSet is the desired state of a set; the zero value if it is not to exist.
type DesiredSet struct {
	Exists   bool
	Replicas int32
	// KeepsTemplate reports whether the pod template stays as it was applied last. Otherwise it is the desired one.
	KeepsTemplate bool
}

// hasItems reports whether a server has items.
func (o ObservedSet) hasItems() bool {
	if o.Workload != nil && o.Workload.Ready > 0 {
		return true
	}
	for _, server := range o.Servers {
		if server.HasItems {
			return true
		}
	}
	return false
}

// ready returns the number of ready pods.
func (o ObservedSet) ready() (ready int) {
	for _, server := range o.Servers {
		if server.Ready {
			ready++
		}
	}
	return ready
}

// allReady reports whether all servers from an ordinal to another one are ready.
func (o ObservedSet) allReady(from, to int32) bool {
	for ordinal := from; ordinal < to; ordinal++ {
		if !o.Servers[ordinal].Ready {
			return false
		}
	}
	return true
}

// current reports whether new pods have the desired template.
func (o ObservedSet) current() bool { return o.Workload == nil || o.Workload.Current }

// outdated reports whether servers have items that a change of the template would lose.
func (o ObservedSet) outdated() bool { return !o.current() && o.hasItems() }

// replicas returns the number of servers of the workload; 0 if it is not observed.
func (o ObservedSet) replicas() int32 {
	if o.Workload == nil {
		return 0
	}
	return min(o.Workload.Replicas, MaxServers)
}

// existing returns the number of servers. While the workload is not observed, they are those that status or pods show.
func (o ObservedSet) existing() int32 {
	if o.Workload != nil {
		return o.replicas()
	}
	existing := o.Recorded
	for ordinal, server := range o.Servers {
		if server.Deleted == nil {
			existing = max(existing, ordinal+1)
		}
	}
	return min(existing, MaxServers)
}
