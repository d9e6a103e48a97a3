package moves

import (
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Move is a change of the servers of proxies: those before it (From) and those after it (To). library.lua has the same words for the two
// servers of a key. Status has the servers that serve, and the others: [Routes.Serving], [Routes.Other].
//
// Servers that only From has are removed, and servers that only To has are added.
type Move struct{ From, To Pool }

// HasSpares reports whether a spare has a slot before or after the move.
func (m Move) HasSpares() bool { return m.From.HasSpares() || m.To.HasSpares() }

// Purpose returns what the move is for, which follows from the servers before and after it; "" for steady proxies.
func (m Move) Purpose() v1alpha1.MovePurpose {
	switch {
	case m.From == m.To:
		return ""
	case m.To.Slots.First != m.From.Slots.First:
		return v1alpha1.MoveReplace
	case m.To.Slots.Count != m.From.Slots.Count:
		return v1alpha1.MoveResize
	case slices.ContainsFunc(m.To.Spares(), func(spare Spare) bool { return !m.From.Has(spare.Ordinal) }):
		return v1alpha1.MoveToSpare
	}
	return v1alpha1.MoveReturn
}

// Replaces reports whether all items move to the next ordinals, whose pods start with the desired pod template.
func (m Move) Replaces() bool { return m.Purpose() == v1alpha1.MoveReplace }

// Resizes reports whether servers are added to those before, or removed from them.
func (m Move) Resizes() bool { return m.Purpose() == v1alpha1.MoveResize }

// sameSlots reports whether slots move to spares or back alone.
func (m Move) sameSlots() bool { return m.From.Slots == m.To.Slots }

// isPartOf reports whether a move of the same slots moves each slot as this one does, and maybe others.
func (m Move) isPartOf(next Pool) bool {
	from, to := m.From.BySlot(), m.To.BySlot()
	if !m.sameSlots() || next.Slots != m.To.Slots {
		return false
	}
	for slot, ordinal := range next.BySlot() {
		if to[slot] != from[slot] && to[slot] != ordinal {
			return false
		}
	}
	return true
}

// added returns the servers that get keys and have none before.
func (m Move) added() []int32 { return m.To.notIn(m.From) }

// Removed returns the servers that have keys before and get none.
func (m Move) Removed() []int32 { return m.From.notIn(m.To) }

// addedAgain returns the added servers that proxies of the phases before may have used: those whose slots return, and former spares.
func (m Move) addedAgain() []int32 {
	return slices.DeleteFunc(m.added(), func(ordinal int32) bool { return !m.From.Span().Has(ordinal) })
}

func (m Move) adds() bool { return len(m.added()) > 0 }
