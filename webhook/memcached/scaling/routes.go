package scaling

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxServers is the maximum of spec.size in the CRD.
const MaxServers = 1000

// Routes are what proxies do: the servers that they know and their phase. The zero value means that the routes are unknown.
type Routes struct {
	// From are the servers before the change, and To those after it. Both are the same for steady proxies.
	From, To Servers
	Phase    Phase
	// MarksEnd is the Unix time in seconds until which servers may have marks in place of items that have moved. A proxy that
	// knows the server of a mark alone would return the mark as an empty item. 0 if there are no marks.
	MarksEnd int64
}

// steady returns the routes of proxies that know these servers alone.
func steady(servers Servers, marksEnd int64) Routes {
	return Routes{From: servers, To: servers, MarksEnd: marksEnd}
}

// In returns the number of servers of a set that proxies with these routes connect to.
func (r Routes) In(set Set) int32 {
	var servers int32
	for _, each := range []Servers{r.From, r.To} {
		if each.Set == set {
			servers = max(servers, each.Count)
		}
	}
	return servers
}

// moves reports whether the servers after the change are in the other set.
func (r Routes) moves() bool { return r.To.Set != r.From.Set }

// grows reports whether servers are added, and all others stay.
func (r Routes) grows() bool { return !r.moves() && r.To.Count > r.From.Count }

// Expiry returns the Unix time at which marks expire that a change leaves on servers; 0 if those servers are removed.
func (r Routes) Expiry() int64 {
	if r.grows() {
		return r.MarksEnd
	}
	return 0
}

// added returns the ordinal of the first server that is added.
func (r Routes) added() int32 {
	if r.moves() {
		return 0
	}
	return r.From.Count
}

// addsTo reports whether servers are added to a set.
func (r Routes) addsTo(set Set) bool { return r.To.Set == set && (r.moves() || r.grows()) }

// String returns the value of the label on the pods: "3", "3-4-preparing", or "3-4b-warming-1763890000" with MarksEnd.
func (r Routes) String() string {
	words := []string{r.From.String()}
	if r.Phase != Steady {
		words = append(words, r.To.String(), string(r.Phase))
	}
	if r.MarksEnd != 0 {
		words = append(words, strconv.FormatInt(r.MarksEnd, 10))
	}
	return strings.Join(words, "-")
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile(`^(\d+)(b?)(?:-(\d+)(b?)-([a-z]+))?(?:-(\d{10}))?$`)

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(text string) Routes {
	words := label.FindStringSubmatch(text)
	if words == nil {
		return Routes{}
	}
	number := func(word string) int64 {
		value, _ := strconv.ParseInt(word, 10, 64) // 0 is invalid
		return value
	}
	servers := func(count, set string) Servers {
		return Servers{Set: Set(len(set)), Count: int32(min(number(count), MaxServers+1))}
	}
	routes := steady(servers(words[1], words[2]), number(words[6]))
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
