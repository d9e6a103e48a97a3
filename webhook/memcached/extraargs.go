package memcached

import (
	"regexp"
	"slices"
	"strings"
)

const (
	setSecurityInSpec = "set TLS and authentication in spec.tls and spec.auth"
	setFlashInSpec    = "set the flash tier in spec.flash, which also creates a volume for it"
	separateElements  = "each flag and each value must be a separate element, such as -f, 1.25: do not join flags or values to a short flag"
)

// ownedFlags are the short and long flags that spec.cache.extraArgs must not contain, with the reason. The CEL rules of
// ExtraArgs in the CRD have the same messages.
//
// https://github.com/memcached/memcached/blob/master/memcached.c, shortopts and longopts
var ownedFlags = []struct {
	short  string
	long   []string
	reason string
}{
	{"m", []string{"memory-limit"}, "set the memory for items in spec.cache.memory"},
	{"c", []string{"conn-limit"}, "set the number of connections in spec.cache.maxConnections"},
	{"t", []string{"threads"}, "set the number of threads in spec.cache.threads"},
	{"I", []string{"max-item-size"}, "set the maximum size of an item in spec.cache.maxItemSize"},
	{"v", []string{"verbose"}, "set the log level in spec.cache.verbosity"},
	{"M", []string{"disable-evictions"}, "disable evictions with spec.cache.disableEvictions"},
	{"pUlsa", []string{"port", "udp-port", "listen", "unix-socket", "unix-mask"}, "the listeners of memcached cannot be changed: clients, probes and network policies use TCP port 11211"},
	{"SYZ", []string{"enable-sasl", "auth-file", "enable-ssl"}, setSecurityInSpec},
	{"duPhiV", []string{"daemon", "user", "pidfile", "help", "license", "version"}, "the flag conflicts with the pod, where memcached runs in the foreground, as the user of spec.podSecurityContext, without a PID file"},
}

var (
	separateFlag   = regexp.MustCompile(`^(-[A-Za-z]|--[a-z][a-z-]+(=.*)?)$`)
	tlsOption      = regexp.MustCompile(`(^|[,=])ssl_`)
	flashOption    = regexp.MustCompile(`(^|[,=])ext_(path|page_size|wbuf_size|threads|item_size)`)
	noMaxConnsFast = regexp.MustCompile(`(^|[,=])no_maxconns_fast`)
)

// argError returns why an argument is refused; "" if it is allowed.
func argError(arg string) string {
	switch {
	case tlsOption.MatchString(arg):
		return setSecurityInSpec
	case flashOption.MatchString(arg):
		return setFlashInSpec
	case noMaxConnsFast.MatchString(arg):
		return "no_maxconns_fast makes the probes fail at the limit of connections, because they wait for a free connection"
	case !strings.HasPrefix(arg, "-"):
		return ""
	case !separateFlag.MatchString(arg):
		return separateElements
	}
	for _, owned := range ownedFlags {
		if len(arg) == 2 && strings.Contains(owned.short, arg[1:]) || slices.ContainsFunc(owned.long, matchesLongFlag(arg)) {
			return owned.reason
		}
	}
	return ""
}

// matchesLongFlag reports whether memcached may parse an argument as a long flag. getopt_long accepts every unambiguous
// prefix of a flag.
func matchesLongFlag(arg string) func(flag string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return func(flag string) bool {
		return strings.HasPrefix(name, "--") && strings.HasPrefix("--"+flag, name)
	}
}
