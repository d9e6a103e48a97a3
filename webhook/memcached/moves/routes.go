package moves

import (
	"regexp"
	"slices"
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

// Routes are what proxies do in a phase of a move. Steady proxies have no move: the servers before and after it are the same. The zero
// value means that the routes are unknown.
type Routes struct {
	Move
	Phase ProxyPhase
}

// steadyRoutes returns the routes of proxies that know these servers alone.
func steadyRoutes(p Pool) Routes { return Routes{Move: Move{p, p}} }

// in returns the same move in another phase.
func (r Routes) in(phase ProxyPhase) Routes {
	r.Phase = phase
	return r
}

// CanGiveUp reports whether the move can be given up, because no item has moved.
func (r Routes) CanGiveUp() bool { return r.Phase != Steady && r.Serving() == r.From }

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

// Known returns the range of the servers that proxies with these routes connect to.
func (r Routes) Known() Range { return r.Serving().Span().join(r.Other().Span()) }

// FindsItems reports whether proxies with these routes find items on a server: on those that serve, and on those that items move from.
func (r Routes) FindsItems(ordinal int32) bool {
	return r.Serving().Has(ordinal) || r.Phase == Warming && r.From.Has(ordinal)
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
		return !r.From.HasSpares() && !slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { return r.From.Has(spare.For) })
	}
	return !slices.ContainsFunc(r.To.Spares(), func(spare Spare) bool { // a server stays with its slot
		return r.From.Has(spare.Ordinal) && r.From.ownOrdinal(spare.Ordinal) != spare.For
	})
}
