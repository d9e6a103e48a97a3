package walk

import (
	"bytes"
	"slices"
	"time"
)

const (
	// settleTime is the longest time in which a cluster without faults reaches the desired state. A change of size with proxies
	// and steps has several phases for each step.
	settleTime = 48 * time.Hour
	// settleSyncs is the greatest number of syncs until then.
	settleSyncs = 600
)

// all means that a sync applies all writes.
const all = -1

// work lets kubelets and controllers work until nothing changes at this time.
func (m *metacontroller) work() {
	for range 20 {
		before := m.version
		m.kubelets()
		m.control()
		m.kubelets()
		if m.version == before {
			return
		}
	}
}

// next returns when the next thing happens, or when the next resync is due.
func (m *metacontroller) next() time.Time {
	at := m.resync
	if m.retry {
		at = m.now.Add(10 * time.Second)
	}
	for _, timer := range m.timers() {
		if timer.Before(at) {
			at = timer
		}
	}
	if !at.After(m.now) {
		at = m.now.Add(time.Second)
	}
	return at
}

// advance lets time pass until the next event, and syncs if Metacontroller observes a change. It reports whether the cluster
// is quiet: the last sync was a resync that wrote nothing, and nothing is due.
func (m *metacontroller) advance() (quiet bool) {
	m.work()
	v := m.observe()
	due := !m.now.Before(m.resync) || m.retry
	if due || !v.same(m.last) {
		m.sync(v, all)
		current := m.last == v // and not an earlier state, whose response writes nothing either
		quiet = current && due && len(m.writes) == 0 && !m.retry && !m.awaited && len(m.timers()) == 0
		if len(m.writes) > 0 {
			m.work()
			if !m.observe().same(m.last) {
				m.now = m.now.Add(time.Second)
				return false
			}
		}
	}
	m.now = m.next()
	return quiet
}

// settle lets the cluster reach the desired state.
func (m *metacontroller) settle() {
	end, syncs := m.now.Add(settleTime), m.syncs+settleSyncs
	var writes []string
	for m.now.Before(end) && m.syncs < syncs {
		if m.advance() {
			return
		}
		writes = append(writes, m.writes...)
	}
	fail("the cluster does not settle within %s and %d syncs; last writes: %v\nstatus %s", settleTime, settleSyncs,
		slices.Compact(writes[max(len(writes)-20, 0):]), m.parent.status)
}

// staysQuiet checks the oracle of Anvil: for a day, each response is the same, and nothing is written.
func (m *metacontroller) staysQuiet() {
	response := m.response
	for end := m.now.Add(24 * time.Hour); m.now.Before(end); m.now = m.now.Add(3 * time.Hour) { // longer than the resync period, to save time
		m.work()
		m.sync(m.observe(), all)
		must(bytes.Equal(response, m.response), "a quiet cluster gets the same response:\n%s\n%s", response, m.response)
		must(len(m.writes) == 0, "nothing is written in a quiet cluster: %v", m.writes)
	}
}
