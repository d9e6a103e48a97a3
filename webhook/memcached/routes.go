package memcached

import (
	"strconv"
	"strings"
)

// routes are the server lists of the proxies. Each list has the first servers of the StatefulSet, so its length describes it.
type routes struct {
	// current is the number of servers that the proxies use; 0 if there are no proxies.
	current int32
	// previous is the number of servers in the list that the proxies read after a miss and delete from with each write; 0
	// if there is no such list.
	previous int32
}

// longest returns the number of servers that proxies with these lists connect to.
func (r routes) longest() int32 { return max(r.current, r.previous) }

// String returns the value of [routesLabel]: "4", or "4-3" with a previous list.
func (r routes) String() string {
	current := strconv.Itoa(int(r.current))
	if r.previous == 0 {
		return current
	}
	return current + "-" + strconv.Itoa(int(r.previous))
}

// parseRoutes returns the lists of a label; no lists if the label is missing or was edited.
func parseRoutes(label string) routes {
	current, previous, found := strings.Cut(label, "-")
	parsed := routes{current: parseServers(current)}
	if found {
		parsed.previous = parseServers(previous)
	}
	if parsed.String() != label || parsed.current == 0 || parsed.current == parsed.previous {
		return routes{}
	}
	return parsed
}

// parseServers returns a number of servers; 0 if the text is not a valid one.
func parseServers(text string) int32 {
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 1 || number > maxReplicas {
		return 0
	}
	return int32(number)
}
