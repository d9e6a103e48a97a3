package memcached

import (
	"regexp"
	"slices"
	"strings"
)

const (
	securityIsNotAnArgument = "TLS and authentication are set with spec.tls and spec.auth"
	oneFlagEach             = "each flag and each value must be an element of its own, as in -f, 1.25: flags or values that are joined to a short flag are refused"
)

// ownedFlags are the flags that spec.cache.extraArgs may not hold, short and long, with where to look instead. The rules
// on ExtraArgs say the same to the API server.
//
// https://github.com/memcached/memcached/blob/master/memcached.c, shortopts and longopts
var ownedFlags = []struct {
	short   string
	long    []string
	instead string
}{
	{"m", []string{"memory-limit"}, "how much memory items may take is set with spec.cache.memoryMB"},
	{"c", []string{"conn-limit"}, "the number of connections is set with spec.cache.maxConnections"},
	{"t", []string{"threads"}, "the number of threads is set with spec.cache.threads"},
	{"I", []string{"max-item-size"}, "the size of the largest item is set with spec.cache.maxItemSize"},
	{"v", []string{"verbose"}, "how much is logged is set with spec.cache.verbosity"},
	{"M", []string{"disable-evictions"}, "evictions are turned off with spec.cache.disableEvictions"},
	{"pUlsa", []string{"port", "udp-port", "listen", "unix-socket", "unix-mask"}, "where memcached listens is fixed: clients, probes and policies count on TCP port 11211"},
	{"SYZ", []string{"enable-sasl", "auth-file", "enable-ssl"}, securityIsNotAnArgument},
	{"duPhiV", []string{"daemon", "user", "pidfile", "help", "license", "version"}, "the pod decides how memcached runs: in the foreground, as the user of spec.podSecurityContext, without a file of its own"},
}

var (
	flagAlone      = regexp.MustCompile(`^(-[A-Za-z]|--[a-z][a-z-]+(=.*)?)$`)
	tlsOption      = regexp.MustCompile(`(^|[,=])ssl_`)
	noMaxconnsFast = regexp.MustCompile(`(^|[,=])no_maxconns_fast`)
)

// refuseArg says why memcached may not be given an argument; "" when it may.
func refuseArg(arg string) string {
	switch {
	case tlsOption.MatchString(arg):
		return securityIsNotAnArgument
	case noMaxconnsFast.MatchString(arg):
		return "no_maxconns_fast makes the probes wait for a free connection, and fail, when memcached has none left"
	case !strings.HasPrefix(arg, "-"):
		return ""
	case !flagAlone.MatchString(arg):
		return oneFlagEach
	}
	for _, owned := range ownedFlags {
		if len(arg) == 2 && strings.Contains(owned.short, arg[1:]) || slices.ContainsFunc(owned.long, abbreviatedBy(arg)) {
			return owned.instead
		}
	}
	return ""
}

// abbreviatedBy returns whether memcached may take an argument for a long flag: getopt_long takes any beginning of a name
// that is the beginning of no other.
func abbreviatedBy(arg string) func(flag string) bool {
	given, _, _ := strings.Cut(arg, "=")
	return func(flag string) bool {
		return strings.HasPrefix(given, "--") && strings.HasPrefix("--"+flag, given)
	}
}
