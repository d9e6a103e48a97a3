package proxy

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// Library is the Lua code that distributes keys to servers and moves items during a change of the servers. It is the same for every
// proxy. It has no comments, because annotations of the pods contain it, and are limited to 256 KiB.
var Library = withoutComments(library)

//go:embed library.lua
var library string

// withoutComments returns Lua code without the lines that are comments or empty.
func withoutComments(code string) string {
	text := strings.Builder{}
	for line := range strings.Lines(code) {
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "--") {
			text.WriteString(line)
		}
	}
	return text.String()
}

// MinVersion is the first memcached that has all functions of the library. An earlier one does not start as a proxy.
const MinVersion = "1.6.40"

// Options returns the value of memcached's option -o for the paths of the library and of the configuration.
func Options(library, config string) string {
	return "proxy_config=routelib:" + library + ",proxy_arg=" + config
}

// Config returns the configuration of a proxy in a phase, for the host:port of the servers before and after a change. The order of the
// servers is part of the distribution of keys. Their domain is written once: annotations of the pods contain the configuration.
func Config(from, to []string, phase moves.ProxyPhase) string {
	domain := commonDomain(to, from)
	config := "local domain = " + strconv.Quote(domain) + "\nservers{\n" + backends("to", to, domain)
	if phase != moves.Steady {
		config += backends("from", from, domain)
		config += "    phase = " + strconv.Quote(string(phase)) + ",\n"
	}
	return config + "}\n"
}

// commonDomain returns what follows the first label of all servers; "" if it differs.
func commonDomain(lists ...[]string) string {
	at := max(0, strings.Index(lists[0][0], "."))
	domain := lists[0][0][at:]
	for _, server := range slices.Concat(lists...) {
		if host, _, _ := strings.Cut(server, "."); host+domain != server {
			return ""
		}
	}
	return domain
}

// backends returns a Lua field with one server per line. strconv.Quote writes the characters of a host name and a port as Lua
// reads them.
func backends(name string, servers []string, domain string) string {
	text := strings.Builder{}
	text.WriteString("    " + name + " = {\n")
	for _, server := range servers {
		text.WriteString("        " + strconv.Quote(strings.TrimSuffix(server, domain)) + "..domain,\n")
	}
	text.WriteString("    },\n")
	return text.String()
}
