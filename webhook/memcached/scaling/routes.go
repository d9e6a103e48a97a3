package scaling

import (
	"regexp"
	"slices"
)

// Phase is a phase of the proxies during a move. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases. The table in phases.go has the
// phases of status for them.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies know the servers that serve alone.
	Steady Phase = ""
	// Announcing proxies use the servers before the move alone, and hide the claims (library.lua) that preparing proxies write there.
	Announcing Phase = "announcing"
	// Preparing proxies know the servers before and after the move, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know the servers before and after the move, and give up the items that have not moved.
	Closing Phase = "closing"
)

var phaseOrder = []Phase{Steady, Announcing, Preparing, Warming, Closing}

// Routes are what proxies do: the servers that they know and their phase. The zero value means that the routes are unknown.
type Routes struct {
	// From are the servers before the move, and To those after it. Both are the same for steady proxies.
	From, To Pool
	Phase    Phase
}

// steadyRoutes returns the routes of proxies that know these servers alone.
func steadyRoutes(p Pool) Routes { return Routes{From: p, To: p} }

// in returns the same move in another phase.
func (r Routes) in(phase Phase) Routes {
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

// Replaces reports whether the move is to other servers, which have another pod template.
func (r Routes) Replaces() bool { return r.To.Slots.First != r.From.Slots.First }

// Resizes reports whether the move is to more or fewer of the same servers.
func (r Routes) Resizes() bool { return !r.Replaces() && r.To.Slots.Count != r.From.Slots.Count }

// ToSpares reports whether slots move to spares.
func (r Routes) ToSpares() bool {
	return r.From.Slots == r.To.Slots && slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { return !r.From.Has(spare.Ordinal) })
}

// Returns reports whether slots move back from their spares, and none to a spare.
func (r Routes) Returns() bool { return r.From.Slots == r.To.Slots && r.From != r.To && !r.ToSpares() }

// isPartOf reports whether a move of the same slots moves each slot as this one does, and maybe others.
func (r Routes) isPartOf(next Pool) bool {
	from, to := r.From.Ordinals(), r.To.Ordinals()
	if r.From.Slots != r.To.Slots || next.Slots != r.To.Slots {
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
	case r.adds() && (r.Replaces() || r.Resizes()):
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
		routes.To, routes.Phase = parsePool(words[4], words[5], words[6]), Phase(words[7])
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
