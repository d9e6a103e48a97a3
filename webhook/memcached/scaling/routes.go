package scaling

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Pool are the servers of proxies, in the order of the slots over which they distribute the keys: a range of ordinals. The items of a server that
// stops are on the spare until it has started again: the spare, which is the next ordinal, has its slot.
type Pool struct {
	Servers
	// Spared is the slot of the spare, from 1 on; 0 if there is no spare.
	Spared int32
}

// Absent returns the ordinal whose slot the spare has; -1 if there is no spare.
func (p Pool) Absent() int32 {
	if p.Spared == 0 {
		return -1
	}
	return p.First + p.Spared - 1
}

// Span returns the range of the ordinals with the spare, and with the one whose slot it has.
func (p Pool) Span() Servers {
	return Servers{p.First, p.Count + min(p.Spared, 1)}
}

// Has reports whether an ordinal has a slot.
func (p Pool) Has(ordinal int32) bool { return p.Span().Has(ordinal) && ordinal != p.Absent() }

// Ordinals returns the ordinals by slot.
func (p Pool) Ordinals() []int32 {
	ordinals := p.Servers.Ordinals()
	if p.Spared > 0 {
		ordinals[p.Spared-1] = p.End()
	}
	return ordinals
}

// String returns "0-2" for three servers, and "0-2.1" if the spare has the slot of 1.
func (p Pool) String() string {
	if p.Spared == 0 {
		return p.Servers.String()
	}
	return fmt.Sprintf("%s.%d", p.Servers, p.Absent())
}

// Describe returns the ordinals for users.
func (p Pool) Describe() string {
	if p.Spared == 0 {
		return p.Servers.String()
	}
	return fmt.Sprintf("%s, %d in place of %d", p.Servers, p.End(), p.Absent())
}

// pool returns the pool from the texts of a label; the zero value if it is not valid.
func pool(first, last, absent string) Pool {
	p := Pool{Servers: servers(first, last)}
	if ordinal, _ := strconv.ParseInt(absent, 10, 32); absent != "" && p.Servers.Has(int32(ordinal)) {
		p.Spared = int32(ordinal) - p.First + 1
	}
	return p
}

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

// Spares reports whether the spare has a slot before or after the move.
func (r Routes) Spares() bool { return r.From.Spared > 0 || r.To.Spared > 0 }

// Replaces reports whether the move is to other servers, which have another pod template.
func (r Routes) Replaces() bool { return r.To.First != r.From.First }

// Resizes reports whether the move is to more or fewer of the same servers.
func (r Routes) Resizes() bool { return !r.Replaces() && r.To.Count != r.From.Count }

// toSpare reports whether one slot moves to the spare.
func (r Routes) toSpare() bool { return !r.Replaces() && r.From.Spared == 0 && r.To.Spared > 0 }

// Returns reports whether the slot of the spare moves back.
func (r Routes) Returns() bool { return !r.Replaces() && r.From.Spared > 0 && r.To.Spared == 0 }

// added returns the servers that get keys and have none before.
func (r Routes) added() Servers {
	switch {
	case r.Replaces():
		return r.To.Span()
	case r.toSpare():
		return Servers{r.To.End(), 1}
	case r.Returns():
		return Servers{r.From.Absent(), 1}
	}
	return Servers{r.From.End(), max(0, r.To.Count-r.From.Count)}
}

// adds reports whether servers are added. cleans reports whether the servers that get keys can have items of earlier moves: those that stay in
// a decrease, and one whose slot returns, which proxies of the phases before have used.
func (r Routes) adds() bool   { return r.added().Count > 0 }
func (r Routes) cleans() bool { return !r.adds() || r.Returns() }

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
func (r Routes) Knows() Servers { return r.Serving().Span().join(r.Other().Span()) }

// Keeps reports whether proxies with these routes find items on a server: on those that serve, and on those that items move from.
func (r Routes) Keeps(ordinal int32) bool {
	return r.Serving().Has(ordinal) || r.Phase == Warming && r.From.Has(ordinal)
}

// Sources returns the ordinals of the servers that the Job cleans in Announcing, and otherwise of those that it lists: the servers from which
// items move.
func (r Routes) Sources() []int32 {
	switch {
	case r.Phase == Announcing && r.Returns(), r.Phase != Announcing && r.toSpare():
		return []int32{max(r.From.Absent(), r.To.Absent())}
	case r.Phase == Announcing:
		return Servers{r.From.First, r.To.Count}.Ordinals()
	case r.Returns():
		return []int32{r.From.End()}
	case r.adds():
		return r.From.Ordinals()
	}
	return Servers{r.To.End(), r.From.Count - r.To.Count}.Ordinals()
}

// String returns the value of the label on the pods: "0-2", or "0-2_0-3_preparing".
func (r Routes) String() string {
	if r.Phase == Steady {
		return r.From.String()
	}
	return r.From.String() + "_" + r.To.String() + "_" + string(r.Phase)
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile(`^(\d+)-(\d+)(?:\.(\d+))?(?:_(\d+)-(\d+)(?:\.(\d+))?_([a-z]+))?$`)

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(text string) Routes {
	words := label.FindStringSubmatch(text)
	if words == nil {
		return Routes{}
	}
	routes := steadyRoutes(pool(words[1], words[2], words[3]))
	if words[4] != "" {
		routes.To, routes.Phase = pool(words[4], words[5], words[6]), Phase(words[7])
	}
	if routes.String() != text || !routes.valid() {
		return Routes{}
	}
	return routes
}

// valid reports whether a decision can have these routes.
func (r Routes) valid() bool {
	if r.From.Count == 0 || r.To.Count == 0 || !slices.Contains(phaseOrder, r.Phase) || (r.From == r.To) != (r.Phase == Steady) {
		return false
	}
	switch {
	case r.Phase == Steady:
		return true
	case r.Replaces():
		return r.To.First == r.From.Span().End() && r.To.Spared == 0
	case r.toSpare(), r.Returns():
		return r.From.Servers == r.To.Servers
	}
	return !r.Spares()
}
