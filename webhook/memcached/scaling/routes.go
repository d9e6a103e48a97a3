package scaling

import (
	"slices"
	"strconv"
	"strings"
)

// MaxServers is the maximum of spec.size in the CRD.
const MaxServers = 1000

// List is a list of servers: the first pods of a StatefulSet.
type List struct {
	// Count is the number of servers.
	Count int32
}

// Phase is a phase of the proxies during a change of size. The proxies enter the phases in their order, each by a rollout.
// Proxies of two successive phases run at the same time during a rollout, and never those of other phases.
type Phase string

// The phases of the proxies.
const (
	// Steady proxies use one list.
	Steady Phase = ""
	// Preparing proxies know both lists, and move no item.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses.
	Warming Phase = "warming"
	// Closing proxies know both lists, and give up the items that have not moved.
	Closing Phase = "closing"
)

var phaseOrder = []Phase{Steady, Preparing, Warming, Closing}

// Routes are what proxies do: their lists of servers and their phase. The zero value means that the routes are unknown.
type Routes struct {
	// From is the list before the change, and To the list after it. Steady proxies have the same list twice.
	From, To List
	Phase    Phase
	// MarksEnd is the Unix time in seconds until which servers may have marks in place of items that have moved. A proxy that
	// knows the server of a mark alone would return the mark as an empty item. 0 if there are no marks.
	MarksEnd int64
}

// steady returns the routes of proxies that use one list.
func steady(servers int32, marksEnd int64) Routes {
	list := List{Count: servers}
	return Routes{From: list, To: list, MarksEnd: marksEnd}
}

// Longest returns the number of servers that proxies with these routes connect to.
func (r Routes) Longest() int32 { return max(r.From.Count, r.To.Count) }

// Used returns the number of servers that serve: those after the change, once items move.
func (r Routes) Used() int32 {
	if r.Phase == Preparing {
		return r.From.Count
	}
	return r.To.Count
}

// Second returns the number of servers in the second list of proxies that have two; 0 if they have one.
func (r Routes) Second() int32 {
	switch r.Phase {
	case Steady:
		return 0
	case Preparing:
		return r.To.Count
	}
	return r.From.Count
}

// grows reports whether servers are added.
func (r Routes) grows() bool { return r.To.Count > r.From.Count }

// String returns the value of the label on the pods: "3", "3-4-preparing", or "3-4-warming-1763890000" with MarksEnd.
func (r Routes) String() string {
	words := []string{strconv.Itoa(int(r.From.Count))}
	if r.Phase != Steady {
		words = append(words, strconv.Itoa(int(r.To.Count)), string(r.Phase))
	}
	if r.MarksEnd != 0 {
		words = append(words, strconv.FormatInt(r.MarksEnd, 10))
	}
	return strings.Join(words, "-")
}

// ParseRoutes returns the routes of a label; the zero value if the label is missing or was edited.
func ParseRoutes(label string) Routes {
	words := strings.Split(label, "-")
	number := func(i int, bits int) int64 {
		if i >= len(words) {
			return 0
		}
		value, _ := strconv.ParseInt(words[i], 10, bits) // an invalid number results in another label
		return value
	}
	routes := steady(int32(number(0, 32)), number(1, 64))
	if len(words) > 2 {
		routes = Routes{From: routes.From, To: List{Count: int32(number(1, 32))}, Phase: Phase(words[2]), MarksEnd: number(3, 64)}
	}
	if routes.String() != label || !routes.valid() {
		return Routes{}
	}
	return routes
}

// minMarksEnd is a time in 2001. A smaller number at the end of a label is not a time.
const minMarksEnd = 1e9

func (r Routes) valid() bool {
	return slices.Contains(phaseOrder, r.Phase) && (r.MarksEnd == 0 || r.MarksEnd >= minMarksEnd) && min(r.From.Count, r.To.Count) >= 1 && r.Longest() <= MaxServers && (r.From == r.To) == (r.Phase == Steady)
}
