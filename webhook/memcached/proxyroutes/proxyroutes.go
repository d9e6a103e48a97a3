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

// Config returns the configuration of a proxy for lists of host:port. The order of a list is part of the distribution of
// keys, so servers are only appended to it or removed from its end.
//
// During a warm-up, previous is the list before the change of size: an item that is missing on its current server
// moves there from its previous server. Without a warm-up, previous is nil. Lists that do not begin alike share no
// distribution, so previous is then ignored.
//
// Before a warm-up, with preparing, previous is the list after the change of size, and reads move no item: other proxies
// may already warm up and move it the other way.
func Config(current, previous []string, preparing bool) string {
	config := "servers{\n" + list("current", current)
	if warm(current, previous) {
		config += list("previous", previous)
		if preparing {
			config += "    preparing = true,\n"
		}
	}
	return config + "}\n"
}

// warm reports whether one list is the beginning of the other one, which is longer.
func warm(current, previous []string) bool {
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
