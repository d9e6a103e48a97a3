package walk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// routes are what a proxy does, as library.lua reads it from the configuration in its pod.
type routes struct {
	from, to string // the ordinals by slot, with a comma after each
	phase    string
}

var configured = regexp.MustCompile(`(?s)to = \{(.*?)\}(?:.*from = \{(.*?)\}.*phase = "(\w+)")?`)

// routesIn returns the routes in a configuration; the zero value if there is none, as in a pod that is no proxy.
func routesIn(annotations map[string]string) (r routes) {
	if parts := configured.FindStringSubmatch(annotations["memcached-operator.example.com/proxy-config"]); parts != nil {
		r = routes{ordinalsIn(parts[2]), ordinalsIn(parts[1]), parts[3]}
	}
	return r
}

var address = regexp.MustCompile(`\s*"` + name + `-(\d+)"\.\.domain`)

// ordinalsIn returns the ordinals in a list of addresses, with a comma after each.
func ordinalsIn(list string) string { return strings.TrimSpace(address.ReplaceAllString(list, "$1")) }

// knows reports whether a proxy connects to a server.
func (r routes) knows(ordinal int) bool {
	return has(r.from, ordinal) || r.phase != "announcing" && has(r.to, ordinal)
}

// known returns the routes without servers that a proxy does not know yet.
func (r routes) known() routes {
	if r.phase == "announcing" {
		r.to = ""
	}
	return r
}

func has(ordinals string, ordinal int) bool {
	return strings.Contains(","+ordinals, fmt.Sprintf(",%d,", ordinal))
}

// follows reports whether proxies with these routes and with the ones before them may run at the same time.
func (r routes) follows(before routes) bool {
	phases := []string{"announcing", "preparing", "warming", "closing"}
	i, j := slices.Index(phases, before.phase), slices.Index(phases, r.phase)
	switch {
	case i >= 0 && j >= 0:
		return r.from == before.from && r.to == before.to && j == i+1
	case j >= 0:
		return j == 0 && r.from == before.to // steady proxies have no from
	}
	return i == len(phases)-1 && r.to == before.to
}

func (r routes) mayRunBeside(other routes) bool {
	return r.known() == other.known() || r.follows(other) || other.follows(r)
}
