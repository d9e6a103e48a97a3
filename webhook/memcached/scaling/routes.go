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
	// From is the number of servers before the change, and To the number after it. The servers are the first pods of a
	// StatefulSet. Both numbers are the same for steady proxies.
	From, To int32
	Phase    Phase
	// MarksEnd is the Unix time in seconds until which servers may have marks in place of items that have moved. A proxy that
	// knows the server of a mark alone would return the mark as an empty item. 0 if there are no marks.
	MarksEnd int64
}

// steady returns the routes of proxies that know the servers of one size.
func steady(servers int32, marksEnd int64) Routes {
	return Routes{From: servers, To: servers, MarksEnd: marksEnd}
}

// Longest returns the number of servers that proxies with these routes connect to.
func (r Routes) Longest() int32 { return max(r.From, r.To) }

// grows reports whether servers are added.
func (r Routes) grows() bool { return r.To > r.From }

// String returns the value of the label on the pods: "3", "3-4-preparing", or "3-4-warming-1763890000" with MarksEnd.
func (r Routes) String() string {
	words := []string{strconv.Itoa(int(r.From))}
	if r.Phase != Steady {
		words = append(words, strconv.Itoa(int(r.To)), string(r.Phase))
	}
	if r.MarksEnd != 0 {
		words = append(words, strconv.FormatInt(r.MarksEnd, 10))
	}
	return strings.Join(words, "-")
}

// label matches what [Routes.String] returns.
var label = regexp.MustCompile(`^(\d+)(?:-(\d+)-([a-z]+))?(?:-(\d{10}))?$`)

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
	routes := steady(int32(min(number(words[1]), MaxServers+1)), number(words[4]))
	if words[2] != "" {
		routes.To, routes.Phase = int32(min(number(words[2]), MaxServers+1)), Phase(words[3])
	}
	if routes.String() != text {
		return Routes{}
	}
	return routes.ifValid()
}

// ifValid returns the routes; the zero value if they are not valid.
func (r Routes) ifValid() Routes {
	if slices.Contains(phaseOrder, r.Phase) && min(r.From, r.To) >= 1 && r.Longest() <= MaxServers && (r.From == r.To) == (r.Phase == Steady) {
		return r
	}
	return Routes{}
}
