package proxy

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/memcached/scaling"
)

// Library is the Lua code that distributes keys to servers and moves items during a change of the servers. It is the same for every
// proxy.
//
//go:embed library.lua
var Library string

// Options returns the value of memcached's option -o for the paths of the library and of the configuration.
func Options(library, config string) string {
	return "proxy_config=routelib:" + library + ",proxy_arg=" + config
}

// Config returns the configuration of a proxy in a phase, for the host:port of the servers before and after a change. The order of the
// servers is part of the distribution of keys.
//
// The marks of a growth end at marksEnd. It must be later than the last Closing proxy, because a key whose mark has expired
// is missing for Warming proxies, and earlier than the next decrease: proxies that know only the former servers return a mark
// as an empty item. If it is 0, a mark expires after 30 days: that is for servers that are removed with their marks.
func Config(from, to []string, phase scaling.Phase, marksEnd int64) string {
	config := "servers{\n" + backends("to", to)
	if phase != scaling.Steady {
		config += backends("from", from)
		config += "    phase = " + strconv.Quote(string(phase)) + ",\n"
		config += "    marks_end = " + strconv.FormatInt(marksEnd, 10) + ",\n"
	}
	return config + "}\n"
}

// backends returns a Lua field with one server per line. strconv.Quote writes the characters of a host name and a port as Lua
// reads them.
func backends(name string, servers []string) string {
	text := strings.Builder{}
	text.WriteString("    " + name + " = {\n")
	for _, server := range servers {
		text.WriteString("        " + strconv.Quote(server) + ",\n")
	}
	text.WriteString("    },\n")
	return text.String()
}
