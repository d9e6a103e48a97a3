package scaling

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

const (
	// MaxServers is the maximum of spec.size in the CRD.
	MaxServers = 1000
	// MaxOrdinal limits ordinals to nine digits. Each change of the pod template needs spec.size new ones.
	MaxOrdinal = 999_999_999
)

// Servers are a range of ordinals.
type Servers struct{ First, Count int32 }

// End returns the ordinal after the last one.
func (s Servers) End() int32 { return s.First + s.Count }

// String returns "0-2" for three servers; "" for none.
func (s Servers) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", s.First, s.End()-1)
}

// Has reports whether an ordinal is in the range.
func (s Servers) Has(ordinal int32) bool { return ordinal >= s.First && ordinal < s.End() }

// contains reports whether all of other servers are in the range.
func (s Servers) contains(other Servers) bool {
	return other.Count == 0 || other.First >= s.First && other.End() <= s.End()
}

// join returns the range with the servers of both; s alone if other ones neither overlap nor follow.
func (s Servers) join(other Servers) Servers {
	switch {
	case s.Count == 0:
		return other
	case other.Count == 0 || other.First > s.End() || s.First > other.End():
		return s
	}
	first := min(s.First, other.First)
	return Servers{first, max(s.End(), other.End()) - first}
}

// servers returns the range from the texts of its first and its last ordinal; the zero value if it is not valid.
func servers(first, last string) Servers {
	from, _ := strconv.ParseInt(first, 10, 32) // a number that is too large is invalid
	to, _ := strconv.ParseInt(last, 10, 32)
	if to < from || to > MaxOrdinal || to-from >= MaxServers {
		return Servers{}
	}
	return Servers{int32(from), int32(to-from) + 1}
}

// Phase is a phase of the proxies during a move. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies know the servers that serve alone.
	Steady Phase = ""
	// Announcing proxies use the servers before the move alone, and hide what preparing proxies write there.
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
	From, To Servers
	Phase    Phase
}

// steady returns the routes of proxies that know these servers alone.
func steady(servers Servers) Routes { return Routes{From: servers, To: servers} }

// in returns the same move in another phase.
func (r Routes) in(phase Phase) Routes {
	r.Phase = phase
	return r
}

// Knows returns the servers that proxies with these routes connect to.
func (r Routes) Knows() Servers {
	if r.Phase == Announcing {
		return r.From
	}
	return r.From.join(r.To)
}

// Serving returns the servers that serve: those after the move, once items move.
func (r Routes) Serving() Servers {
	if r.Phase == Announcing || r.Phase == Preparing {
		return r.From
	}
	return r.To
}

// Other returns the servers that items move to before they serve, or from once they do; none if the proxies do not know them.
func (r Routes) Other() Servers {
	switch r.Phase {
	case Steady, Announcing:
		return Servers{}
	case Preparing:
		return r.To
	}
	return r.From
}

// Replaces reports whether the move is to other servers, which have another pod template.
func (r Routes) Replaces() bool { return r.To.First != r.From.First }

// adds reports whether servers are added.
func (r Routes) adds() bool { return r.added().Count > 0 }

// added returns the servers that are added.
func (r Routes) added() Servers {
	if r.Replaces() {
		return r.To
	}
	return Servers{r.From.End(), max(0, r.To.Count-r.From.Count)}
}

// String returns the value of the label on the pods: "0-2", or "0-2_0-3_preparing".
func (r Routes) String() string {
	if r.Phase == Steady {
		return r.From.String()
	}
	return r.From.String() + "_" + r.To.String() + "_" + string(r.Phase)
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile(`^(\d+)-(\d+)(?:_(\d+)-(\d+)_([a-z]+))?$`)

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(text string) Routes {
	words := label.FindStringSubmatch(text)
	if words == nil {
		return Routes{}
	}
	routes := steady(servers(words[1], words[2]))
	if words[3] != "" {
		routes.To, routes.Phase = servers(words[3], words[4]), Phase(words[5])
	}
	if routes.String() != text || !routes.valid() {
		return Routes{}
	}
	return routes
}

// valid reports whether a decision can have these routes. Servers after a move begin where those before do, or follow them.
func (r Routes) valid() bool {
	follows := r.To.First == r.From.First || r.To.First == r.From.End()
	return r.From.Count > 0 && r.To.Count > 0 && follows && slices.Contains(phaseOrder, r.Phase) && (r.From == r.To) == (r.Phase == Steady)
}
