package scaling

import (
	"regexp"
	"slices"
	"strconv"
)

// MaxServers is the maximum of spec.size in the CRD.
const MaxServers = 1000

// Routes are what proxies do: the servers that they know and their phase. The zero value means that the routes are unknown.
type Routes struct {
	// From are the servers before the change, and To those after it. Both are the same for steady proxies.
	From, To Servers
	Phase    Phase
}

// steady returns the routes of proxies that know these servers alone.
func steady(servers Servers) Routes { return Routes{From: servers, To: servers} }

// in returns the same change in another phase.
func (r Routes) in(phase Phase) Routes {
	r.Phase = phase
	return r
}

// In returns the number of servers of a set that proxies with these routes connect to.
func (r Routes) In(set Set) int32 {
	var servers int32
	if r.From.Set == set {
		servers = r.From.Count
	}
	if r.To.Set == set && r.Phase != Announcing {
		servers = max(servers, r.To.Count)
	}
	return servers
}

// moves reports whether the servers after the change are in the other set.
func (r Routes) moves() bool { return r.To.Set != r.From.Set }

// adds reports whether servers are added: to the same set, or the other set.
func (r Routes) adds() bool { return r.moves() || r.To.Count > r.From.Count }

// added returns the ordinal of the first server that is added.
func (r Routes) added() int32 {
	if r.moves() {
		return 0
	}
	return r.From.Count
}

// String returns the value of the label on the pods: "3", "3-4-preparing", or "3-4b-warming".
func (r Routes) String() string {
	if r.Phase == Steady {
		return r.From.String()
	}
	return r.From.String() + "-" + r.To.String() + "-" + string(r.Phase)
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile(`^(\d+)(b?)(?:-(\d+)(b?)-([a-z]+))?$`)

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(text string) Routes {
	words := label.FindStringSubmatch(text)
	if words == nil {
		return Routes{}
	}
	servers := func(count, set string) Servers {
		number, _ := strconv.ParseInt(count, 10, 32) // a number that is too large is invalid
		return Servers{Set: Set(len(set)), Count: int32(number)}
	}
	routes := steady(servers(words[1], words[2]))
	if words[3] != "" {
		routes.To, routes.Phase = servers(words[3], words[4]), Phase(words[5])
	}
	if routes.String() != text {
		return Routes{}
	}
	return routes.ifValid()
}

// ifValid returns the routes; the zero value if they are not valid.
func (r Routes) ifValid() Routes {
	if slices.Contains(phaseOrder, r.Phase) && min(r.From.Count, r.To.Count) >= 1 && max(r.From.Count, r.To.Count) <= MaxServers && (r.From == r.To) == (r.Phase == Steady) {
		return r
	}
	return Routes{}
}
