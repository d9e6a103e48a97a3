package scaling

import "time"

// target returns the servers that follow others. A server that is being deleted comes first: its time is limited. Servers that have items
// keep their pods, so a change of the pod template uses the next range. That is one step, because no key is lost.
func (c current) target(from Pool) Pool {
	warm := c.Proxies.Warmup > 0 && c.Size > 0
	if slot := c.terminating(from); warm && slot > 0 {
		return Pool{from.Servers, slot}
	}
	switch {
	case warm && c.endOfOutdated(from) > from.First:
		return Pool{Servers: Servers{from.Span().End(), c.Size}}
	case from.Spared > 0:
		return Pool{Servers: from.Servers}
	}
	return Pool{Servers: Servers{from.First, c.Step(from.Count)}}
}

// terminating returns the slot, from 1 on, of a server that is being deleted and holds; 0 if there is none, or if the spare is in use. It is
// the one whose slot already moves, or else the one whose time ends first.
func (c current) terminating(from Pool) (slot int32) {
	if from.Spared > 0 {
		return 0
	}
	if to := c.routes.To; c.routes.From == from && c.Draining(to.Absent()) {
		return to.Spared
	}
	var first time.Time
	for i, ordinal := range from.Ordinals() {
		if c.Draining(ordinal) && (slot == 0 || c.Servers[ordinal].Deleted.Before(first)) {
			slot, first = int32(i)+1, *c.Servers[ordinal].Deleted
		}
	}
	return slot
}
