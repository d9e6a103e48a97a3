package moves

import (
	"regexp"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ProxyPhase is a phase of the proxies during a move. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases. The table in phases.go has the
// phases of status for them.
type ProxyPhase string

// The phases of the proxies.
const (
	// Steady proxies know the servers that serve alone.
	Steady ProxyPhase = ""
	// Announcing proxies use the servers before the move alone, and hide the claims (library.lua) that preparing proxies write there.
	Announcing ProxyPhase = "announcing"
	// Preparing proxies know the servers before and after the move, and move no item.
	Preparing ProxyPhase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming ProxyPhase = "warming"
	// Closing proxies know the servers before and after the move, and give up the items that have not moved.
	Closing ProxyPhase = "closing"
)

var phaseOrder = []ProxyPhase{Steady, Announcing, Preparing, Warming, Closing}

// Routes are what proxies do: the servers that they know and their phase. The zero value means that the routes are unknown.
type Routes struct {
	// From are the servers before the move, and To those after it. Both are the same for steady proxies.
	From, To Pool
	Phase    ProxyPhase
}

// steadyRoutes returns the routes of proxies that know these servers alone.
func steadyRoutes(p Pool) Routes { return Routes{From: p, To: p} }

// in returns the same move in another phase.
func (r Routes) in(phase ProxyPhase) Routes {
	r.Phase = phase
	return r
}

// previous returns the same move in the phase before.
func (r Routes) previous() Routes {
	return r.in(phaseOrder[max(0, slices.Index(phaseOrder, r.Phase)-1)])
}

// CanGiveUp reports whether the move can be given up, because no item has moved.
func (r Routes) CanGiveUp() bool { return r.Phase != Steady && r.Serving() == r.From }

// HasSpares reports whether a spare has a slot before or after the move.
func (r Routes) HasSpares() bool { return r.From.HasSpares() || r.To.HasSpares() }

// Purpose returns what the move is for, which follows from the servers before and after it; "" for steady proxies.
func (r Routes) Purpose() v1alpha1.MovePurpose {
	switch {
	case r.From == r.To:
		return ""
	case r.To.Slots.First != r.From.Slots.First:
		return v1alpha1.MoveReplace
	case r.To.Slots.Count != r.From.Slots.Count:
		return v1alpha1.MoveResize
	case slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { return !r.From.Has(spare.Ordinal) }):
		return v1alpha1.MoveToSpare
	}
	return v1alpha1.MoveReturn
}

// Replaces reports whether all items move to the next ordinals, whose pods start with the desired pod template.
func (r Routes) Replaces() bool { return r.Purpose() == v1alpha1.MoveReplace }

// Resizes reports whether servers are added to those before, or removed from them.
func (r Routes) Resizes() bool { return r.Purpose() == v1alpha1.MoveResize }

// keepsSlots reports whether slots move to spares or back alone.
func (r Routes) keepsSlots() bool { return r.From.Slots == r.To.Slots }

// isPartOf reports whether a move of the same slots moves each slot as this one does, and maybe others.
func (r Routes) isPartOf(next Pool) bool {
	from, to := r.From.Ordinals(), r.To.Ordinals()
	if !r.keepsSlots() || next.Slots != r.To.Slots {
		return false
	}
	for slot, ordinal := range next.Ordinals() {
		if to[slot] != from[slot] && to[slot] != ordinal {
			return false
		}
	}
	return true
}

// added returns the servers that get keys and have none before.
func (r Routes) added() []int32 { return r.To.without(r.From) }

// Removed returns the servers that have keys before and get none.
func (r Routes) Removed() []int32 { return r.From.without(r.To) }

// mayHaveItems returns the added servers that proxies of the phases before may have used: those whose slots return, and former spares.
func (r Routes) mayHaveItems() []int32 {
	return slices.DeleteFunc(r.added(), func(ordinal int32) bool { return !r.From.Span().Has(ordinal) })
}

// adds reports whether servers are added. cleans reports whether servers that have keys after the move can have items of earlier moves: those
// that stay in a decrease, and added ones that are not new.
func (r Routes) adds() bool   { return len(r.added()) > 0 }
func (r Routes) cleans() bool { return !r.adds() || len(r.mayHaveItems()) > 0 }

// Serving returns the servers that serve: those after the move, once items move.
func (r Routes) Serving() Pool {
	if r.Phase == Announcing || r.Phase == Preparing {
		return r.From
	}
	return r.To
}

// Other returns the servers that items move to before they serve, or from once they do; none if the proxies do not know them.
func (r Routes) Other() Pool {
	switch r.Phase {
	case Steady, Announcing:
		return Pool{}
	case Preparing:
		return r.To
	}
	return r.From
}

// Knows returns the range of the servers that proxies with these routes connect to.
func (r Routes) Knows() Range { return r.Serving().Span().join(r.Other().Span()) }

// Keeps reports whether proxies with these routes find items on a server: on those that serve, and on those that items move from.
func (r Routes) Keeps(ordinal int32) bool {
	return r.Serving().Has(ordinal) || r.Phase == Warming && r.From.Has(ordinal)
}

// JobServers returns the ordinals of the servers that the Job cleans in Announcing, and otherwise of those that it lists: the servers from which
// items move.
func (r Routes) JobServers() []int32 {
	switch {
	case r.Phase == Announcing && r.adds():
		return r.mayHaveItems()
	case r.Phase == Announcing:
		return r.To.Ordinals()
	case r.adds() && !r.keepsSlots():
		return r.From.Ordinals()
	}
	return r.Removed()
}

// String returns the value of the label on the pods: "0-2", or "0-2_0-3_preparing".
func (r Routes) String() string {
	if r.Phase == Steady {
		return r.From.String()
	}
	return r.From.String() + "_" + r.To.String() + "_" + string(r.Phase)
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile("^" + poolText + "(?:_" + poolText + "_([a-z]+))?$")

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(text string) Routes {
	words := label.FindStringSubmatch(text)
	if words == nil {
		return Routes{}
	}
	routes := steadyRoutes(parsePool(words[1], words[2], words[3]))
	if words[4] != "" {
		routes.To, routes.Phase = parsePool(words[4], words[5], words[6]), ProxyPhase(words[7])
	}
	if routes.String() != text || !routes.valid() {
		return Routes{}
	}
	return routes
}

// valid reports whether a decision can have these routes.
func (r Routes) valid() bool {
	if r.From.Slots.Count == 0 || r.To.Slots.Count == 0 || !slices.Contains(phaseOrder, r.Phase) || (r.From == r.To) != (r.Phase == Steady) {
		return false
	}
	switch {
	case r.Replaces():
		return r.To.Slots.First == r.From.Span().End()
	case r.Resizes(): // the ordinals of spares follow the slots
		return !r.From.HasSpares() && !slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { return r.From.Has(spare.Own) })
	}
	return !slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { // a server stays with its slot
		return r.From.Has(spare.Ordinal) && r.From.ownOrdinal(spare.Ordinal) != spare.Own
	})
}
