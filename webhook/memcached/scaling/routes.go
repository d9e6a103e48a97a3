package scaling

import (
	"regexp"
	"slices"
)

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
