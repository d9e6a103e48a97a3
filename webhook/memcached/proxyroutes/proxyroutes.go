// Package proxyroutes has the two files of a proxy that is built into memcached: the library of routes, and the
// configuration that names the servers. memcached loads them with the options that Options returns.
package proxyroutes

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// Library is the Lua code that distributes keys to servers and moves items after a change of size. It is the same for
// every proxy.
//
//go:embed library.lua
var Library string

// Options returns the value of memcached's option -o for the paths of the two files.
func Options(library, config string) string {
	return "proxy_config=routelib:" + library + ",proxy_arg=" + config
}

// Phase is what proxies do with the keys that move in a change of size. Proxies in two phases that follow each other may
// serve at the same time: from the old list alone through Preparing, Warming and Closing to the new list alone.
type Phase string

const (
	// Preparing proxies leave all items on the servers of the old list, and follow those that Warming proxies have moved.
	Preparing Phase = "preparing"
	// Warming proxies move each item that a client uses, and leave a mark on its previous server.
	Warming Phase = "warming"
	// Closing proxies use the new list. They mark what is still on a previous server, because proxies in Warming would use it.
	Closing Phase = "closing"
)

// Change is a change of size.
type Change struct {
	// From is the list before the change. The list after it begins with From, or From begins with it.
	From  []string
	Phase Phase
	// MarksEnd is the Unix time in seconds at which the marks on the previous servers expire. It must be later than the last
	// Closing proxy, because a key whose mark has expired is missing for Warming proxies, and it must be earlier than the next
	// change with which a previous server gets keys back: proxies that know the old list alone return a mark as an empty item.
	// It is 0 in Preparing, which writes no marks. If it is 0 later, a mark expires a day after it was written: that is for
	// servers that are removed after the change, with their marks.
	MarksEnd int64
}

// Config returns the configuration of a proxy for a list of host:port. The order of a list is part of the distribution of
// keys, so servers are only appended to it or removed from its end. Lists that do not begin alike share no distribution, so
// such a change is ignored, as one without a phase is.
//
// Without a change, change is nil.
func Config(servers []string, change *Change) string {
	config := "servers{\n" + list("current", servers)
	if change != nil && change.Phase != "" && related(servers, change.From) {
		config += list("previous", change.From)
		config += "    phase = " + strconv.Quote(string(change.Phase)) + ",\n"
		config += "    marks_end = " + strconv.FormatInt(change.MarksEnd, 10) + ",\n"
	}
	return config + "}\n"
}

// related reports whether one list is the beginning of the other one, which is longer.
func related(current, previous []string) bool {
	shared := min(len(current), len(previous))
	return shared > 0 && len(current) != len(previous) && slices.Equal(current[:shared], previous[:shared])
}

// list returns a Lua field with one server per line. strconv.Quote writes the characters of a host name and a port as Lua
// reads them.
func list(name string, servers []string) string {
	text := strings.Builder{}
	text.WriteString("    " + name + " = {\n")
	for _, server := range servers {
		text.WriteString("        " + strconv.Quote(server) + ",\n")
	}
	text.WriteString("    },\n")
	return text.String()
}
