package moves

import (
	"regexp"
	"slices"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// ProxyPhase is a phase of the proxies during a move. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases. Status has
// other words for what happens to the servers then: [statusPhases].
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

// statusPhases are the phases of proxies during a move from n to m servers, and what status has for each: what happens to the servers.
//
// Steady proxies have two phases in status. Before a move, it is Waiting, until pods with the names of new servers, and proxies of the move
// before, have ended. After a move, the proxies know m servers alone, and it is RemovingServers, until no running proxy knows the others.
// Without a warm-up, steady proxies follow on announcing ones, or on those before if no server is added.
var statusPhases = map[ProxyPhase]v1alpha1.MovePhase{
	// n servers have the items, and the proxies know what follows. Once the Deployment shows this phase, the new servers are added, until
	// they are ready, and clean if they are not new. A decrease has Cleaning instead, until a Job has deleted from the m servers what earlier
	// moves have left there.
	Announcing: v1alpha1.MoveAddingServers,
	// n servers have the items, and the proxies follow items that others move, until all proxies do.
	Preparing: v1alpha1.MovePreparing,
	// Items move to m servers. When all proxies do so, a Job begins, and the phase lasts until it has read all items, or for the time in spec.
	Warming: v1alpha1.MoveWarmingUp,
	// m servers have the items, and no item moves, until all proxies know that.
	Closing: v1alpha1.MoveClosing,
}

// statusPhase returns the phase in status of proxies that are not steady.
func (r Routes) statusPhase() v1alpha1.MovePhase {
	if r.Task() == CleanStaying { // a server whose slot returns is cleaned too, after it has started
		return v1alpha1.MoveCleaning
	}
	return statusPhases[r.Phase]
}

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
